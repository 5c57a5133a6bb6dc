import { PismakError } from '../../engine/ground/errors.ts';
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
  return { when: whenFrom(options), action: actionFrom(options) };
}

/** The definition with the parts changed that the options name; the others stay. */
export function changedSchedule({ when, action }: ScheduleInput, options: ScheduleOptions): ScheduleInput {
  const { cron, timezone, after, pipeline, stages, task, parameters } = options;
  const isOtherAction = pipeline !== undefined || stages !== undefined || task !== undefined;
  const isOtherTime = cron !== undefined || after !== undefined;
  // A time keeps its time zone, and a task its parameters, unless others are given.
  const zone = timezone ?? (when.kind === 'cron' ? when.timezone : undefined);
  const sameTime = when.kind === 'cron' && timezone !== undefined ? { ...when, timezone } : when;
  const sameAction =
    action.kind === 'task' && parameters !== undefined ? { ...action, parameters } : undefined;
  if (!isOtherTime && timezone !== undefined && when.kind !== 'cron')
    throw new PismakError('invalid-input', '--timezone belongs to --cron, and this schedule has none');
  if (!isOtherAction && parameters !== undefined && !sameAction)
    throw new PismakError('invalid-input', '--parameters belong to --task, and this schedule has none');
  return {
    when: isOtherTime
      ? whenFrom({ ...options, ...(cron !== undefined && zone && { timezone: zone }) })
      : sameTime,
    action: isOtherAction ? actionFrom(options) : (sameAction ?? action),
  };
}

function whenFrom({ cron, timezone, after }: ScheduleOptions): ScheduleInput['when'] {
  return exactlyOne<ScheduleInput['when']>('--cron and --after', [
    cron !== undefined && { kind: 'cron', cron, ...(timezone !== undefined && { timezone }) },
    after !== undefined && { kind: 'after', schedule: after },
  ]);
}

function actionFrom({ pipeline, stages, task, parameters }: ScheduleOptions): ScheduleInput['action'] {
  return exactlyOne<ScheduleInput['action']>('--pipeline, --stages and --task', [
    pipeline !== undefined && { kind: 'publish', pipeline },
    stages !== undefined && { kind: 'publish', stages },
    task !== undefined && { kind: 'task', task, ...(parameters && { parameters }) },
  ]);
}

function exactlyOne<Choice>(what: string, choices: readonly (Choice | false)[]): Choice {
  const [chosen, ...more] = choices.filter((choice) => choice !== false);
  if (chosen && more.length === 0) return chosen;
  throw new PismakError(
    'invalid-input',
    `give ${chosen ? 'only one' : 'one'} of ${what}, or a complete --definition`,
  );
}
