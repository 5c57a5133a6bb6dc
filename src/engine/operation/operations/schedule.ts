import { z } from 'zod';
import { runStatuses, scheduleDefinition } from '../../schedule/schedule.ts';
import type { ScheduleRun } from '../../schedule/schedules.ts';
import { stageName } from '../../stage/stage.ts';
import { defineOperation } from '../operation.ts';
import { base, nothing } from './inputs.ts';
import { done } from './rows.ts';

const scheduleRow = z.strictObject({
  name: z.string(),
  definition: scheduleDefinition,
  enabled: z.boolean(),
  owner: z.string(),
  version: z.int().describe('Grows with each change of the definition'),
  updatedAt: z.number(),
  changedBy: z.string().nullable().describe('Who made this version; null: not recorded'),
  nextAt: z.number().nullable().describe('Null if it is disabled or runs after another schedule'),
});

const parameters = z.record(z.string(), z.json());
const runRow = z.strictObject({
  id: z.string(),
  schedule: z.string(),
  tick: z.string().describe('The planned time, after:RUN, or now:RUN'),
  status: z.enum(runStatuses),
  parameters,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  cancelledBy: z
    .string()
    .nullable()
    .describe('Who asked to cancel it; it is `cancelled` once it has stopped'),
  log: z.string().describe('Saved at least every second while it runs'),
});

const onlyName = z.strictObject({ name: stageName });
const example = { name: 'nightly' };
const reading = { role: 'reader', owner: 'none', changes: false } as const;
const changing = { role: 'admin', owner: 'none', changes: true } as const;

export const scheduleList = defineOperation({
  ...reading,
  name: 'schedule.ls',
  summary: 'List the schedules: what runs at certain times, or after another schedule',
  input: nothing,
  output: z.strictObject({ schedules: z.array(scheduleRow) }),
  example: {},
  handler: async ({ engine }) => ({ schedules: await engine.schedules.list() }),
});

export const scheduleShow = defineOperation({
  ...reading,
  name: 'schedule.show',
  summary: 'Show a schedule and when it runs next',
  input: onlyName,
  output: scheduleRow,
  example,
  handler: ({ engine }, { name }) => engine.schedules.get(name),
});

export const scheduleCreate = defineOperation({
  ...changing,
  name: 'schedule.create',
  summary:
    'Create a schedule that runs at certain times (cron), or after each success of another schedule; an existing name is refused',
  input: z.strictObject({ name: stageName, definition: small(scheduleDefinition) }),
  output: scheduleRow,
  example: {
    name: 'nightly',
    definition: {
      when: { kind: 'cron', cron: '0 3 * * *', timezone: 'Europe/Prague' },
      action: { kind: 'publish', stages: ['recognise', 'pages-done'] },
    },
  },
  handler: ({ engine, caller }, { name, definition }) =>
    engine.schedules.create(name, definition, caller.name),
});

export const scheduleSet = defineOperation({
  ...changing,
  name: 'schedule.set',
  summary: 'Change when a schedule runs and what it does; an unknown name is refused',
  input: z.strictObject({
    name: stageName,
    definition: small(scheduleDefinition),
    base,
  }),
  output: scheduleRow,
  example: {
    name: 'nightly',
    base: 1,
    definition: {
      when: { kind: 'cron', cron: '30 4 * * *', timezone: 'Europe/Prague' },
      action: { kind: 'publish', stages: ['recognise', 'pages-done'] },
    },
  },
  handler: ({ engine, caller }, { name, definition, base }) =>
    engine.schedules.set(name, definition, caller.name, base),
});

export const scheduleRun = defineOperation({
  ...changing,
  name: 'schedule.run',
  summary: 'Run a schedule now, enabled or not',
  input: z.strictObject({
    name: stageName,
    parameters: small(parameters)
      .optional()
      .describe('Parameters of this run, added to those of the schedule; the task must know them'),
  }),
  output: z.strictObject({ run: runRow }),
  example: { name: 'nightly', parameters: { pages: 10 } },
  handler: async ({ engine }, input) => ({
    run: toRow(await engine.schedules.run(input.name, input.parameters)),
  }),
});

export const scheduleHistory = defineOperation({
  ...reading,
  name: 'schedule.history',
  summary: 'List runs with their outcomes and logs, newest first',
  input: z.strictObject({
    name: stageName.optional(),
    before: z
      .uuid('name a run by its id, as `next` does')
      .optional()
      .describe('Only runs older than this one: `next` of the previous page'),
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of runs'),
  }),
  output: z.strictObject({
    runs: z.array(runRow),
    next: z.string().nullable().describe('`before` of the next page; null: this is the last one'),
  }),
  example,
  async handler({ engine }, { name, before, limit }) {
    if (name !== undefined) await engine.schedules.get(name);
    const runs = await engine.schedules.history({ limit: limit + 1, name, before });
    const page = runs.slice(0, limit);
    return { runs: page.map(toRow), next: runs.length > limit ? (page.at(-1)?.id ?? null) : null };
  },
});

const run = z.string().min(1).max(100).optional();

export const scheduleLog = defineOperation({
  ...reading,
  name: 'schedule.log',
  summary: 'Show the latest run of a schedule with its log, also while it runs',
  input: z.strictObject({ name: stageName, run: run.describe('This run instead of the latest') }),
  output: z.strictObject({ run: runRow }),
  example,
  handler: async ({ engine }, input) => ({
    run: toRow(await engine.schedules.findRun(input.name, input.run)),
  }),
});

export const scheduleCancel = defineOperation({
  ...changing,
  name: 'schedule.cancel',
  summary: 'Cancel the runs of a schedule: queued ones end at once, a running one is told to stop',
  input: z.strictObject({ name: stageName, run: run.describe('Only this run') }),
  output: z.strictObject({ runs: z.array(runRow) }),
  example,
  handler: async ({ engine, caller }, input) => ({
    runs: (await engine.schedules.cancel(input.name, { id: input.run, by: caller.name })).map(toRow),
  }),
});

export const scheduleEnable = toggling('enable', 'Enable a schedule; missed runs are not made up for');
export const scheduleDisable = toggling('disable', 'Disable a schedule; it can still be run by hand');
export const scheduleDelete = toggling('delete', 'Delete a schedule and its history');

function toggling(verb: 'enable' | 'disable' | 'delete', summary: string) {
  return defineOperation({
    ...changing,
    name: `schedule.${verb}`,
    summary,
    input: onlyName,
    output: done,
    example,
    async handler({ engine }, { name }) {
      await engine.schedules[verb](name);
      return {};
    },
  });
}

/** Listings show the whole definition, so it must be small; large files belong to a stage. */
function small<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine((value) => JSON.stringify(value).length <= 100_000, {
    error: 'too long: the limit is 100,000 characters',
  });
}

function toRow(run: ScheduleRun): z.infer<typeof runRow> {
  return { ...run, parameters: { ...run.parameters } };
}

export const scheduleOperations = [
  scheduleList,
  scheduleShow,
  scheduleCreate,
  scheduleSet,
  scheduleRun,
  scheduleCancel,
  scheduleLog,
  scheduleHistory,
  scheduleEnable,
  scheduleDisable,
  scheduleDelete,
];
