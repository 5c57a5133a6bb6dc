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

/** The definition that the options describe. The operation validates it. */
export function scheduleFrom(options: ScheduleOptions): ScheduleInput {
  const { cron, timezone, after, pipeline, stages, task, parameters } = options;
  return {
    when: exactlyOne<ScheduleInput['when']>('--cron and --after', [
      cron !== undefined && { kind: 'cron', cron, ...(timezone !== undefined && { timezone }) },
      after !== undefined && { kind: 'after', schedule: after },
    ]),
    action: exactlyOne<ScheduleInput['action']>('--pipeline, --stages and --task', [
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
    `give ${chosen ? 'only one' : 'one'} of ${what}, or a complete --definition`,
  );
}
