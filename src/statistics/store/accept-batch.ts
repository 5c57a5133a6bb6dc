import { chunks } from '../../engine/ground/chunks.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { unitOf } from '../calendar/days.ts';
import { encodeBlock } from '../columns/block.ts';
import type { StatisticsDatabase, StatisticsQueries } from '../database/tables.ts';
import { holdClosedMonths } from './closed-months.ts';
import { type EntityNumbers, ordinalsOf } from './entity-numbers.ts';
import { countEvents, type Limits } from './limits.ts';
import { type Accepted, type CubeHead, levels, type PreparedBatch, type PreparedCube } from './store.ts';

/** Rows in one statement: SQLite takes 32,766 parameters, PostgreSQL 65,535. */
export const rowsPerInsert = 500;
export const rowsPerRead = 400;

/** Takes a batch in a transaction: token, limits, entities, segments and corrections, all or nothing. */
export async function acceptBatch(
  transaction: StatisticsQueries,
  batch: PreparedBatch,
  { clock, database, numbers }: { clock: Clock; database: StatisticsDatabase; numbers: EntityNumbers },
): Promise<Accepted> {
  const { owner, token, hash, events, refused, corrections, receivedAt, limits } = batch;
  const closed = await holdClosedMonths(transaction, database);
  const before = await takenBefore(transaction, batch);
  if (before) return before;
  const months = new Set(batch.cubes.flatMap(({ days }) => days.map(({ day }) => unitOf('month', day).from)));
  if ([...months].some((month) => closed.has(month)) || [...batch.closed].some((month) => !closed.has(month)))
    return { outcome: 'closed' };
  const sealed = await sealedDays(transaction, batch.cubes);
  if (sealed.length > 0) return { outcome: 'sealed', days: sealed };

  const accepted = batch.cubes.flatMap(({ days }) => days).reduce((sum, day) => sum + day.events, 0);
  const counts = { events, accepted, refused, corrections: corrections.length };
  // A batch of which nothing was accepted may be sent again.
  if (accepted + corrections.length > 0) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('statistics_batch')
      .values({ owner, token, hash, receivedAt, ...counts })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    // The same batch came twice at once, and this one had to wait for the other.
    if (!numInsertedOrUpdatedRows) return (await takenBefore(transaction, batch)) ?? { outcome: 'closed' };
    const count = accepted + corrections.length;
    if (limits) await countEvents(transaction, limits, { owner, count, now: receivedAt });
  }
  // Always in the same order, so that two batches never deadlock.
  const cubes = [...batch.cubes].sort((one, other) =>
    `${one.kind} ${one.user}` < `${other.kind} ${other.user}` ? -1 : 1,
  );
  for (const prepared of cubes) {
    const cube = await lockCube(transaction, prepared.kind, prepared.user);
    await addSegments(transaction, cube, prepared, { receivedAt, limits, numbers });
  }
  for (const some of chunks(corrections, rowsPerInsert)) {
    const rows = some.map(({ dimensions, ...correction }) => ({
      id: newId(clock),
      ...correction,
      token,
      receivedAt,
      dimensionsJson: JSON.stringify(dimensions),
    }));
    await transaction.insertInto('statistics_correction').values(rows).execute();
  }
  return { outcome: 'accepted', ...counts };
}

/** The answer for a batch whose token is known. */
async function takenBefore(
  transaction: StatisticsQueries,
  { owner, token, hash }: PreparedBatch,
): Promise<Accepted | undefined> {
  const known = await transaction
    .selectFrom('statistics_batch')
    .select(['hash', 'events', 'accepted', 'refused', 'corrections'])
    .where('owner', '=', owner)
    .where('token', '=', token)
    .executeTakeFirst();
  if (!known) return undefined;
  const { hash: before, ...counts } = known;
  return before === hash
    ? { outcome: 'duplicate', ...counts }
    : { outcome: 'mismatch', events: known.events };
}

/** Gives the cube's next number to this transaction. The row stays locked, so numbers rise in the order of commits. */
export async function lockCube(
  transaction: StatisticsQueries,
  kind: string,
  user: string,
): Promise<CubeHead> {
  return transaction
    .insertInto('statistics_cube')
    .values({ kind, user, seq: 1, version: 1, pruned: 0, entities: 0, entityVersion: 0 } as never)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'user']).doUpdateSet((row) => ({
        seq: row('statistics_cube.seq', '+', 1),
        version: row('statistics_cube.version', '+', 1),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function addSegments(
  transaction: StatisticsQueries,
  cube: CubeHead,
  { keys, days }: PreparedCube,
  { receivedAt, ...more }: { receivedAt: number; limits: Limits | undefined; numbers: EntityNumbers },
): Promise<void> {
  const ordinals = await ordinalsOf(transaction, cube, keys, receivedAt, more);
  const rows = days.flatMap(({ day, blocks }) =>
    blocks(ordinals).map(({ chunk, block }) => ({
      cube: cube.id,
      seq: cube.seq,
      day,
      chunk,
      rows: block.rows,
      block: encodeBlock(block),
    })),
  );
  for (const some of chunks(rows, rowsPerInsert))
    await transaction.insertInto('statistics_segment').values(some).execute();
}

async function sealedDays(transaction: StatisticsQueries, cubes: readonly PreparedCube[]) {
  const found: { kind: string; user: string; day: number }[] = [];
  for (const { kind, user, days } of cubes) {
    const old = days.filter(({ mayBeSealed }) => mayBeSealed).map(({ day }) => day);
    for (const some of chunks(old, rowsPerRead)) {
      const rows = await transaction
        .selectFrom('statistics_unit as unit')
        .innerJoin('statistics_cube as cube', 'cube.id', 'unit.cube')
        .select('unit.bucket as day')
        .distinct()
        .where('cube.kind', '=', kind)
        .where('cube.user', '=', user)
        .where('unit.level', '=', levels.indexOf('day'))
        .where('unit.sealed', '=', 1)
        .where('unit.bucket', 'in', some)
        .execute();
      found.push(...rows.map(({ day }) => ({ kind, user, day })));
    }
  }
  return found;
}
