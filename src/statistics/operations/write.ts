import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { checkMayWrite, writableUsers } from '../access/access.ts';
import { parseDay } from '../calendar/days.ts';
import { formats } from '../ingest/formats.ts';
import { limitsOf } from '../store/limits.ts';
import { date, kindName, userKey } from './inputs.ts';

/** Text is a single JSON value, so 16 MB hold 100,000 lines; as a list, only about 40,000 events fit. */
const bodyLimit = 16 * 2 ** 20;

const content = {
  events: z
    .array(z.unknown())
    .max(50_000)
    .optional()
    .describe(
      'Events: {id, kind, entity, user, split, at, dimensions}; dimensions may stand beside the other fields',
    ),
  text: z.string().max(bodyLimit).optional().describe('The events as lines, instead of `events`'),
  format: z.enum(formats).default('ndjson').describe('Format of the lines'),
};

function contentOf(input: {
  events?: unknown[] | undefined;
  text?: string | undefined;
  format: 'ndjson' | 'csv';
}) {
  if ((input.events === undefined) === (input.text === undefined))
    throw new PismakError('invalid-input', 'events: give either events or text');
  return input.text === undefined
    ? { events: input.events ?? [] }
    : { text: input.text, format: input.format };
}

const level = z
  .enum(['event', 'day'])
  .default('event')
  .describe('day: each line is the sum of a whole day and has `day` instead of `at`');

export const statisticsIngest = defineOperation({
  name: 'statistics.ingest',
  summary: 'Count a batch of events; sent twice with the same token, it counts once',
  role: 'user',
  owner: 'caller',
  heavy: 'work',
  deadlineMs: 300_000,
  changes: true,
  stores: true,
  // Called constantly; the table of batches records what came.
  audited: false,
  bodyLimit,
  input: z.strictObject({
    token: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\0]*$/)
      .describe('Name of the batch. Corrected events need a new one'),
    schema: z.string().max(40).optional().describe('Accept only kinds of this schema'),
    level,
    ...content,
  }),
  output: z.strictObject({
    duplicate: z.boolean(),
    events: z.int(),
    accepted: z.int(),
    corrections: z.int(),
    refused: z.int(),
    refusals: z.array(z.strictObject({ index: z.int(), id: z.string(), reason: z.string() })),
  }),
  example: {
    token: '2026-03-29/1',
    events: [
      {
        id: 'e1',
        kind: 'keyword',
        entity: 17,
        user: 3,
        split: 'context',
        at: '2026-03-29T01:59:00+01:00',
        clicks: 1,
        cost: 250,
      },
    ],
  },
  async handler({ engine, caller }, input) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { ingest } = await import('../ingest/ingest.ts');
    const statistics = await statisticsOf(engine);
    return ingest(statistics, {
      owner: caller.name,
      token: input.token,
      level: input.level,
      schema: input.schema,
      content: contentOf(input),
      mayWrite: await writableUsers(statistics, caller),
      limits: limitsOf(statistics.limits, caller),
    });
  },
});

export const statisticsBackfill = defineOperation({
  name: 'statistics.backfill',
  summary: 'Replace everything counted for one day of one user with the given events, however old the day is',
  role: 'user',
  owner: 'caller',
  heavy: 'work',
  deadlineMs: 300_000,
  changes: true,
  stores: true,
  bodyLimit,
  input: z.strictObject({
    kind: kindName,
    user: userKey,
    day: date.describe('The day'),
    level,
    ...content,
  }),
  output: z.strictObject({ events: z.int() }),
  example: { kind: 'keyword', user: 3, day: '2026-03-29', events: [] },
  async handler({ engine, caller }, { kind, user, day, level: ofLines, ...input }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { backfill } = await import('../ingest/backfill.ts');
    const statistics = await statisticsOf(engine);
    await checkMayWrite(statistics, caller, String(user));
    return backfill(statistics, {
      kind: statistics.schemas.get(kind),
      user: String(user),
      day: parseDay(day) ?? 0,
      level: ofLines,
      limits: limitsOf(statistics.limits, caller),
      content: contentOf(input),
    });
  },
});
