import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { readableBy } from './access.ts';
import { granularity, question, splitSums, sums } from './inputs.ts';

const point = z.strictObject({
  id: z.string(),
  start: z.string(),
  end: z.string(),
  sums,
  splits: splitSums,
});

const seriesInput = z.strictObject({
  ...question,
  granularity,
  includeTotal: z.boolean().default(false).describe('Also return the sums over the whole interval'),
  limit: z
    .int()
    .min(1)
    .max(5000)
    .default(5000)
    .describe('Maximum number of points; a question with more is refused'),
});

export const statisticsSeries = defineOperation({
  name: 'statistics.series',
  formerNames: ['statistics.granularizedSumStats'],
  summary:
    'Show sums over time of the entities that a filter keeps: by hour, day, week, month, quarter or year',
  role: 'reader',
  owner: 'caller',
  heavy: 'work',
  changes: false,
  input: seriesInput,
  output: z.strictObject({
    points: z.array(point),
    groups: z
      .array(z.strictObject({ entity: z.string(), name: z.string(), points: z.array(point) }))
      .optional(),
    total: sums.optional(),
    entities: z.int(),
  }),
  example: { kind: 'keyword', user: 3, from: '2026-01-01', to: '2026-03-31', granularity: 'week' },
  async handler({ engine, caller, signal }, input) {
    const { answerSeries } = await import('../query/answer.ts');
    const statistics = await readableBy(caller, engine, input.user);
    return answerSeries(statistics, input, signal);
  },
});

const rowSums = {
  sums,
  /** Ratios such as CTR; null if the divisor is zero. */
  derived: z.record(z.string(), z.number().nullable()),
  splits: splitSums.optional(),
};

export const statisticsTable = defineOperation({
  name: 'statistics.table',
  formerNames: ['statistics.filter2'],
  summary: 'Show a table of the entities that a filter keeps, with sums and totals',
  role: 'reader',
  owner: 'caller',
  heavy: 'work',
  changes: false,
  input: z.strictObject({
    ...question,
    sort: z
      .string()
      .max(100)
      .default('name:asc')
      .describe('Dimension, derived column, name or key, and asc or desc: cost:desc'),
    segment: z.enum(['split']).optional().describe('Also show the sums of each row by split'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Rows to skip'),
    limit: z.int().min(1).max(1000).default(50).describe('Maximum number of rows'),
  }),
  output: z.strictObject({
    rows: z.array(
      z.strictObject({
        entity: z.string(),
        name: z.string(),
        status: z.string(),
        parent: z.string(),
        budget: z.number().nullable(),
        ...rowSums,
      }),
    ),
    /** Rows on all pages. */
    count: z.int(),
    totals: z.strictObject(rowSums),
  }),
  example: { kind: 'keyword', user: 3, from: '2026-01-01', to: '2026-03-31', sort: 'cost:desc' },
  async handler({ engine, caller, signal }, input) {
    const { answerTable } = await import('../query/answer.ts');
    const statistics = await readableBy(caller, engine, input.user);
    return answerTable(statistics, input, signal);
  },
});

export const statisticsExplain = defineOperation({
  name: 'statistics.explain',
  summary: 'Show the plan of a series: which units are added and subtracted, and what is read for it',
  role: 'reader',
  owner: 'caller',
  heavy: 'work',
  changes: false,
  input: seriesInput,
  output: z.strictObject({
    points: z.array(
      z.strictObject({ id: z.string(), start: z.string(), end: z.string(), scans: z.array(z.string()) }),
    ),
    /** How the sums that filters look at are read. */
    filter: z.array(z.string()),
    read: z.strictObject({ blocks: z.int(), rows: z.int(), loaded: z.int(), loadedBytes: z.int() }),
    entities: z.int(),
    ms: z.number(),
  }),
  example: { kind: 'keyword', user: 3, from: '2026-01-03', to: '2026-03-31', granularity: 'month' },
  async handler({ engine, caller, signal }, input) {
    const { explainSeries } = await import('../query/explain.ts');
    const statistics = await readableBy(caller, engine, input.user);
    return explainSeries(statistics, input, signal);
  },
});
