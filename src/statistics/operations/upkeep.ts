import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { checkMayRead } from '../access/access.ts';
import { parseDay, parseMonth } from '../calendar/days.ts';
import type { Schemas } from '../schema/schemas.ts';
import { levels } from '../store/store.ts';
import { date, kindName, month, sums, userKey } from './inputs.ts';

/** Kinds and users that were left out because a sum exceeds 2^53. */
const tooLarge = z.array(z.string()).max(10);

const anHour = 3_600_000;

export const statisticsRollup = defineOperation({
  name: 'statistics.rollup',
  summary: 'Bring slots, days, weeks, months and totals up to date, or rebuild them',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: anHour,
  changes: true,
  stores: true,
  input: z.strictObject({
    level: z.enum(levels).optional().describe('Only this level; default: all'),
    kind: kindName.optional(),
    user: userKey.optional(),
    split: z.string().max(40).optional().describe('Only units with rows of this split'),
    from: date.optional().describe('Rebuild all units from this day on'),
    to: date.optional().describe('Rebuild all units up to this day'),
  }),
  output: z.strictObject({ cubes: z.int(), units: z.int(), rows: z.int(), tooLarge }),
  example: { level: 'week', from: '2026-01-01', to: '2026-03-31' },
  async handler({ engine, signal }, { level, kind, user, split, from, to }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { rollUp } = await import('../rollup/roll-up.ts');
    const statistics = await statisticsOf(engine);
    checkSplit(statistics.schemas, kind, split);
    if (from !== undefined && to !== undefined && from > to)
      throw new PismakError('invalid-input', `to: ${to} is before ${from}`);
    const range =
      from === undefined && to === undefined
        ? undefined
        : { from: parseDay(from ?? '') ?? -1_000_000, to: parseDay(to ?? '') ?? 1_000_000 };
    return rollUp(statistics, {
      kind,
      split,
      range,
      signal,
      ...(level && { levels: [level] }),
      user: user === undefined ? undefined : String(user),
    });
  },
});

/** A word that no split has would silently rebuild nothing. */
function checkSplit(schemas: Schemas, kind: string | undefined, split: string | undefined): void {
  const all = kind === undefined ? schemas.all : [schemas.get(kind).schema];
  const known = [...new Set(all.flatMap((schema) => schema.split.values))];
  if (split !== undefined && !known.includes(split))
    throw new PismakError('invalid-input', `split: there is no ${split}; use one of ${known.join(', ')}`);
}

export const statisticsReconcile = defineOperation({
  name: 'statistics.reconcile',
  summary: 'Prove that days, weeks, months and totals agree, or name the first difference',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: anHour,
  // It changes nothing, but may take as long as a roll-up.
  changes: true,
  input: z.strictObject({ kind: kindName.optional(), user: userKey.optional() }),
  output: z.strictObject({
    cubes: z.int(),
    units: z.int(),
    tooLarge,
    difference: z
      .strictObject({
        kind: z.string(),
        user: z.string(),
        level: z.string(),
        unit: z.string(),
        entity: z.string(),
        split: z.string(),
        dimension: z.string(),
        expected: z.number(),
        got: z.number(),
      })
      .optional(),
  }),
  example: { user: 3 },
  async handler({ engine, signal }, { kind, user }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { reconcile } = await import('../rollup/reconcile.ts');
    const statistics = await statisticsOf(engine);
    if (kind !== undefined) statistics.schemas.get(kind);
    return reconcile(statistics, { kind, user: user === undefined ? undefined : String(user), signal });
  },
});

export const statisticsClose = defineOperation({
  name: 'statistics.close',
  summary: 'Close a month: later events are listed as corrections instead of being summed',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    month: month.describe('The month'),
    open: z.boolean().default(false).describe('Open it again; its corrections stay listed'),
  }),
  output: z.strictObject({ closed: z.boolean() }),
  example: { month: '2026-03' },
  async handler({ engine, caller }, { month: text, open }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { closeMonth } = await import('../store/closed-months.ts');
    const statistics = await statisticsOf(engine);
    const { from, to } = parseMonth(text) ?? { from: 0, to: 0 };
    // Otherwise the events of a month that is yet to come would never be summed.
    if (!open && statistics.days.start(to + 1) > statistics.clock.now())
      throw new PismakError('invalid-input', `month: ${text} has not ended yet; close it afterwards`);
    await closeMonth(statistics, { month: from, open, by: caller.name });
    return { closed: !open };
  },
});

export const statisticsCorrections = defineOperation({
  name: 'statistics.corrections',
  summary: 'List events that came after their month was closed, the newest first',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    user: userKey,
    month: month.optional().describe('Only this month'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of rows'),
  }),
  output: z.strictObject({
    corrections: z.array(
      z.strictObject({
        event: z.string(),
        kind: z.string(),
        user: z.string(),
        entity: z.string(),
        split: z.string(),
        at: z.number(),
        sums,
        token: z.string(),
        receivedAt: z.number(),
      }),
    ),
  }),
  example: { user: 3, month: '2026-03' },
  async handler({ engine, caller }, { user, month: text, limit }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { listCorrections } = await import('../store/closed-months.ts');
    const statistics = await statisticsOf(engine);
    await checkMayRead(statistics, caller, String(user));
    const range = text === undefined ? undefined : parseMonth(text);
    return { corrections: await listCorrections(statistics, { user: String(user), range, limit }) };
  },
});

export const statisticsErase = defineOperation({
  name: 'statistics.erase',
  summary: 'Delete all statistics of a user: sums, entities, corrections and access rights',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: 600_000,
  changes: true,
  input: z.strictObject({ user: userKey, kind: kindName.optional().describe('Only this kind of entities') }),
  output: z.strictObject({ kinds: z.int(), entities: z.int(), corrections: z.int() }),
  example: { user: 3 },
  async handler({ engine, signal }, { user, kind }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { eraseUser } = await import('../entities/erase-user.ts');
    return eraseUser(await statisticsOf(engine), { user: String(user), kind, signal });
  },
});

export const statisticsSchema = defineOperation({
  name: 'statistics.schema',
  summary: 'Show the kinds, dimensions, splits and derived columns that are counted here',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    schema: z.string().max(40).optional().describe('Only this schema'),
    limit: z.int().min(1).max(1000).default(1000).describe('Maximum number of kinds'),
  }),
  output: z.strictObject({
    timezone: z.string(),
    kinds: z.array(
      z.strictObject({
        kind: z.string(),
        schema: z.string(),
        parent: z.string().nullable(),
        dimensions: z.array(z.string()),
        splits: z.array(z.string()),
        derived: z.array(z.string()),
      }),
    ),
  }),
  example: { schema: 'advertising' },
  async handler({ engine }, { schema: wanted, limit }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { checkSchemaName } = await import('../schema/schemas.ts');
    const { schemas, days } = await statisticsOf(engine);
    checkSchemaName(schemas, wanted);
    const kinds = schemas.kinds.filter(({ schema }) => wanted === undefined || schema.name === wanted);
    return {
      timezone: days.timeZone,
      kinds: kinds.slice(0, limit).map(({ name, schema, ancestors }) => ({
        kind: name,
        schema: schema.name,
        parent: ancestors[0] ?? null,
        dimensions: schema.dimensions.map((dimension) => dimension.name),
        splits: schema.split.values,
        derived: Object.keys(schema.derived),
      })),
    };
  },
});
