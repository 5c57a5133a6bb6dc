import { z } from 'zod';
import { scheduleDefinition } from '../../schedule/schedule.ts';
import type { ScheduleRun } from '../../schedule/schedules.ts';
import { stageName } from '../../stage/stage.ts';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';
import { done } from './rows.ts';

const scheduleRow = z.strictObject({
  name: z.string(),
  definition: scheduleDefinition,
  enabled: z.boolean(),
  owner: z.string(),
  updatedAt: z.number(),
  nextAt: z.number().nullable().describe('Null if it is disabled or runs after another schedule'),
});

const parameters = z.record(z.string(), z.json());
const runRow = z.strictObject({
  id: z.string(),
  schedule: z.string(),
  tick: z.string().describe('The planned time, after:RUN, or now:RUN'),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  parameters,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  log: z.string(),
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
    'Create or change a schedule: run at certain times (cron), or after each success of another schedule',
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

export const scheduleRun = defineOperation({
  ...changing,
  name: 'schedule.run',
  summary: 'Run a schedule now, enabled or not',
  input: z.strictObject({
    name: stageName,
    parameters: small(parameters)
      .optional()
      .describe('Parameters of this run, instead of those of the schedule'),
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
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of runs'),
  }),
  output: z.strictObject({ runs: z.array(runRow) }),
  example,
  async handler({ engine }, { name, limit }) {
    if (name !== undefined) await engine.schedules.get(name);
    const runs = await engine.schedules.history({ limit, ...(name !== undefined && { name }) });
    return { runs: runs.map(toRow) };
  },
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
  scheduleRun,
  scheduleHistory,
  scheduleEnable,
  scheduleDisable,
  scheduleDelete,
];
