import { PismakError } from '../../engine/errors.ts';
import type { Parameters, ScheduleInput } from '../../engine/schedule/schedule.ts';

export interface ScheduleOptions {
  cron?: string;
  timezone?: string;
  after?: string;
  pipeline?: string;
  stages?: string[];
  task?: string;
  parameters?: Parameters;
}

/** The definition that the options stand for; whether it is a good one is the operation's to say. */
export function scheduleFrom(options: ScheduleOptions): ScheduleInput {
  const { cron, timezone, after, pipeline, stages, task, parameters } = options;
  return {
    when: exactlyOne<ScheduleInput['when']>('when (--cron or --after)', [
      cron !== undefined && { kind: 'cron', cron, ...(timezone !== undefined && { timezone }) },
      after !== undefined && { kind: 'after', schedule: after },
    ]),
    action: exactlyOne<ScheduleInput['action']>('what (--pipeline, --stages or --task)', [
      pipeline !== undefined && { kind: 'publish', pipeline },
      stages !== undefined && { kind: 'publish', stages },
      task !== undefined && { kind: 'task', task, ...(parameters && { parameters }) },
    ]),
  };
}

function exactlyOne<Choice>(what: string, choices: readonly (Choice | false)[]): Choice {
  const [chosen, ...more] = choices.filter((choice) => choice !== false);
  if (chosen && more.length === 0) return chosen;
  throw new PismakError(
    'invalid-input',
    `say ${chosen ? 'only once' : 'also'} ${what}, or give a whole --definition`,
  );
}
