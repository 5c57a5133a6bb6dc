import { PismakError } from '../../engine/errors.ts';

export interface ScheduleOptions {
  cron?: string;
  timezone?: string;
  after?: string;
  pipeline?: string;
  stages?: string[];
  task?: string;
  parameters?: Record<string, unknown>;
  definition?: Record<string, unknown>;
}

/** The definition that the options stand for; whether it is a good one is the operation's to say. */
export function scheduleFrom(options: ScheduleOptions): Record<string, unknown> {
  const { cron, timezone, after, pipeline, stages, task, parameters, definition } = options;
  if (definition) return definition;
  return {
    when: exactlyOne('when (--cron or --after)', [
      cron !== undefined && { kind: 'cron', cron, ...(timezone !== undefined && { timezone }) },
      after !== undefined && { kind: 'after', schedule: after },
    ]),
    action: exactlyOne('what (--pipeline, --stages or --task)', [
      pipeline !== undefined && { kind: 'publish', pipeline },
      stages !== undefined && { kind: 'publish', stages },
      task !== undefined && { kind: 'task', task, ...(parameters && { parameters }) },
    ]),
  };
}

function exactlyOne(what: string, choices: readonly (object | false)[]): object {
  const [chosen, ...more] = choices.filter((choice) => choice !== false);
  if (chosen && more.length === 0) return chosen;
  throw new PismakError(
    'invalid-input',
    `say ${chosen ? 'only once' : 'also'} ${what}, or give a whole --definition`,
  );
}
