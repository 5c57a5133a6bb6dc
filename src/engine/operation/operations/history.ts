import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { defineOperation } from '../operation.ts';

const dayMs = 86_400_000;
const moment = z.number().min(0).max(8.64e15);
const kind = z
  .enum(['level', 'count'])
  .describe('level: how much there was; count: how much was added in the step');

export const historyShow = defineOperation({
  name: 'history.show',
  heavy: 'read',
  summary: 'Show lengths, ages and rates over time: the last day by the minute, the last month by the hour',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    series: z
      .array(z.string().min(1).max(400))
      .min(1)
      .max(50)
      .describe('Names of series (`history ls` lists them). A `*` at the end means all names that begin so'),
    from: moment.optional().describe('Milliseconds since 1970; default: a day before `to`'),
    to: moment.optional().describe('Milliseconds since 1970; default: now'),
    limit: z
      .int()
      .min(10)
      .max(1500)
      .default(300)
      .describe('Number of steps; minutes or hours are joined so that there are no more'),
  }),
  output: z.strictObject({
    from: z.number(),
    to: z.number(),
    stepMs: z.number().describe('Width of a step: value N is for the time from `from` + N * `stepMs`'),
    series: z.array(
      z.strictObject({
        name: z.string(),
        kind,
        values: z
          .array(z.number().nullable())
          .describe('The mean of a level, the sum of a count; null: nobody looked'),
        highest: z.array(z.number().nullable()).optional().describe('The highest of a level in each step'),
      }),
    ),
    more: z.int().describe('Series that match, but for which the answer has no room'),
  }),
  example: { series: ['queue.length/*'], limit: 60 },
  async handler({ engine, caller }, { series, from, to, limit }) {
    const { readHistory } = await import('../../sample/read-history.ts');
    const now = engine.clock.now();
    const end = to ?? now;
    const start = from ?? end - dayMs;
    if (!(start < end)) throw new PismakError('invalid-input', '`from` must be before `to`');
    return readHistory(engine.database.query, caller, {
      names: series,
      // There are no older rows, however far back somebody asks.
      from: Math.max(start, now - 33 * dayMs),
      to: Math.max(end, now - 33 * dayMs + 1),
      points: limit,
      resolution: start >= now - 26 * 3_600_000 ? 'minute' : 'hour',
    });
  },
});

export const historyList = defineOperation({
  name: 'history.ls',
  heavy: 'read',
  summary: 'List the series of the history: what `history show` can show',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    limit: z.int().min(1).max(2000).default(1000).describe('Maximum number of names'),
  }),
  output: z.strictObject({ series: z.array(z.strictObject({ name: z.string(), kind })) }),
  example: {},
  async handler({ engine, caller }, { limit }) {
    const { seriesNames } = await import('../../sample/read-history.ts');
    const names = await seriesNames(engine.database.query, caller, engine.clock.now());
    return { series: names.slice(0, limit) };
  },
});

export const historyOperations = [historyList, historyShow];
