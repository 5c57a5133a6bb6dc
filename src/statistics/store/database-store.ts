import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { unitOf } from '../calendar/days.ts';
import { decodeBlock, encodeBlock } from '../columns/block.ts';
import type { StatisticsDatabase, StatisticsQueries } from '../database/tables.ts';
import { acceptBatch, addSegments, lockCube, rowsPerInsert, rowsPerRead } from './accept-batch.ts';
import { holdClosedMonths, monthIsClosed } from './closed-months.ts';
import { EntityNumbers } from './entity-numbers.ts';
import { dropReplaced, endWrite, outlineOf, parseOutline, writeFar } from './far-units.ts';
import {
  type Level,
  levels,
  type NewUnit,
  type SegmentMeta,
  type StatisticsStore,
  type UnitMeta,
} from './store.ts';
import type { Outline, UnitRows } from './unit-rows.ts';

/**
 * Column blobs in the engine's database, SQLite or PostgreSQL alike: one row per unit and chunk. Loading 3.4 million weekly
 * rows one by one took 3.4-4 s; as column blobs it takes 50-84 ms. With `rows`, the rows of large units are stored there, and the
 * database decides which of them count.
 */
export function databaseStore(parts: {
  database: StatisticsDatabase;
  clock: Clock;
  rows?: UnitRows | undefined;
}): StatisticsStore {
  const { database, clock, rows: farRows } = parts;
  const numbers = new EntityNumbers();
  const store: StatisticsStore = {
    accept: (batch) =>
      database.transaction((transaction) => acceptBatch(transaction, batch, { clock, database, numbers })),

    correctDay: ({ kind, user, seq, keys, day, receivedAt, limits }) =>
      database
        .transaction(async (transaction) => {
          const closed = await holdClosedMonths(transaction, database);
          if (closed.has(unitOf('month', day.day).from)) throw monthIsClosed(day.day);
          const cube = await lockCube(transaction, kind, user);
          if (cube.seq !== seq + 1) throw new CubeChanged();
          await addSegments(
            transaction,
            cube,
            { kind, user, keys, days: [day] },
            { receivedAt, limits, numbers },
          );
          return true;
        })
        .catch(falseIfChanged),

    async head(kind, user) {
      return database.query
        .selectFrom('statistics_cube')
        .selectAll()
        .where('kind', '=', kind)
        .where('user', '=', user)
        .executeTakeFirst();
    },

    cubes({ kind, user, withSegments = false, afterId = 0, limit }) {
      let query = database.query.selectFrom('statistics_cube').selectAll().where('id', '>', afterId);
      if (withSegments)
        query = query.where('id', 'in', (inner) =>
          inner.selectFrom('statistics_segment').select('statistics_segment.cube'),
        );
      if (kind !== undefined) query = query.where('kind', '=', kind);
      if (user !== undefined) query = query.where('user', '=', user);
      return query.orderBy('id').limit(limit).execute();
    },

    async units(cube, afterGeneration) {
      const rows = await database.query
        .selectFrom('statistics_unit')
        .select(['level', 'bucket', 'chunk', 'generation', 'upTo', 'rows', 'splits', 'sealed'])
        // The column follows the blob, which SQLite would have to read through.
        .$if(farRows !== undefined, (query) => query.select('body'))
        .where('cube', '=', cube)
        .where('generation', '>', afterGeneration)
        .execute();
      return rows.map((row) => ({
        ...row,
        level: levels[row.level] as Level,
        sealed: row.sealed === 1,
        body: row.body ?? 0,
      }));
    },

    segments: (cube, afterSeq) =>
      database.query
        .selectFrom('statistics_segment')
        .select(['seq', 'day', 'chunk', 'rows'])
        .where('cube', '=', cube)
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .execute(),

    async readUnits(cube, wanted) {
      const found = new Map<UnitMeta, ReturnType<typeof decodeBlock>>();
      const elsewhere: { unit: UnitMeta; outline: Outline }[] = [];
      // Level by level, and what lies close together in one statement.
      const byLevel = Map.groupBy(wanted, ({ level }) => level);
      for (const [level, units] of byLevel) {
        const byKey = new Map(units.map((unit) => [`${unit.bucket}/${unit.chunk}/${unit.generation}`, unit]));
        const buckets = [...new Set(units.map(({ bucket }) => bucket))].sort((one, other) => one - other);
        const wantedChunks = [...new Set(units.map(({ chunk }) => chunk))];
        for (const some of chunks(buckets, rowsPerRead)) {
          const rows = await database.query
            .selectFrom('statistics_unit')
            .select(['bucket', 'chunk', 'generation', 'block', 'body'])
            .where('cube', '=', cube)
            .where('level', '=', levels.indexOf(level))
            .where('bucket', 'in', some)
            .where('chunk', 'in', wantedChunks)
            .execute();
          for (const row of rows) {
            const unit = byKey.get(`${row.bucket}/${row.chunk}/${row.generation}`);
            if (unit && row.body === 0) found.set(unit, decodeBlock(row.block));
            else if (unit) elsewhere.push({ unit, outline: parseOutline(row.block) });
          }
        }
      }
      if (elsewhere.length === 0) return found;
      if (!farRows) throw isElsewhere();
      return new Map([...found, ...(await farRows.read(cube, elsewhere))]);
    },

    async readSegments(cube, wanted) {
      const found = new Map<SegmentMeta, ReturnType<typeof decodeBlock>>();
      const byKey = new Map(wanted.map((one) => [`${one.seq}/${one.day}/${one.chunk}`, one]));
      const days = [...new Set(wanted.map(({ day }) => day))];
      const numbers = [...new Set(wanted.map(({ seq }) => seq))].sort((one, other) => one - other);
      for (const some of chunks(numbers, rowsPerRead)) {
        const rows = await database.query
          .selectFrom('statistics_segment')
          .select(['seq', 'day', 'chunk', 'block'])
          .where('cube', '=', cube)
          .where('seq', 'in', some)
          .where('day', 'in', days)
          .execute();
        for (const row of rows) {
          const segment = byKey.get(`${row.seq}/${row.day}/${row.chunk}`);
          if (segment) found.set(segment, decodeBlock(row.block));
        }
      }
      return found;
    },

    async publish(cube, units) {
      const written = await writeFar({ database, clock, rows: farRows }, cube, units);
      return database
        .transaction(async (transaction) => {
          const generation = await raiseVersion(transaction, cube);
          if (!(await endWrite(transaction, written))) throw new CubeChanged();
          const builtAt = clock.now();
          for (const unit of units)
            await replaceUnit(transaction, unit, {
              cube,
              generation,
              builtAt,
              body: written.bodies.get(unit) ?? 0,
            });
          return true;
        })
        .catch(falseIfChanged);
    },

    async prune(cube, { segments, seal }) {
      if (segments.length === 0 && seal.length === 0) return;
      await database.transaction(async (transaction) => {
        await transaction
          .updateTable('statistics_cube')
          .set((row) => ({ version: row('version', '+', 1), pruned: row('pruned', '+', 1) }))
          .where('id', '=', cube)
          .execute();
        for (const [day, ofDay] of Map.groupBy(segments, (segment) => segment.day))
          for (const [chunk, ofChunk] of Map.groupBy(ofDay, (segment) => segment.chunk))
            for (const some of chunks(ofChunk, rowsPerInsert))
              await transaction
                .deleteFrom('statistics_segment')
                .where('cube', '=', cube)
                .where(
                  'seq',
                  'in',
                  some.map(({ seq }) => seq),
                )
                .where('day', '=', day)
                .where('chunk', '=', chunk)
                .execute();
        for (const { bucket, chunk, generation } of seal)
          await sealDay(transaction, { cube, bucket, chunk, generation });
      });
    },

    async erase(cube) {
      const erased = await database.transaction(async (transaction) => {
        // First the row that all writers to the cube lock: what they write afterwards belongs to a new cube.
        await transaction.deleteFrom('statistics_cube').where('id', '=', cube).execute();
        await transaction.deleteFrom('statistics_unit').where('cube', '=', cube).execute();
        await transaction.deleteFrom('statistics_segment').where('cube', '=', cube).execute();
        const entities = transaction.deleteFrom('statistics_entity').where('cube', '=', cube);
        return Number((await entities.executeTakeFirst()).numDeletedRows);
      });
      // Nobody can read these rows any more. If dropping them fails, the nightly sweep does it.
      await farRows?.drop(cube).catch(() => {});
      return erased;
    },

    dropReplaced: async (options) =>
      farRows ? dropReplaced({ database, clock, rows: farRows }, options) : 0,
    ...(farRows && { far: farRows }),
  };
  return store;
}

function isElsewhere(): PismakError {
  return new PismakError(
    'configuration-invalid',
    'some of these sums are in ClickHouse; set statistics.store to its URL',
  );
}

/** The cube has changed since the write was computed. */
class CubeChanged extends Error {}

function falseIfChanged(error: unknown): false {
  if (error instanceof CubeChanged) return false;
  throw error;
}

async function replaceUnit(
  transaction: StatisticsQueries,
  { level, bucket, chunk, upTo, block, replaces }: NewUnit,
  { cube, generation, builtAt, body }: { cube: number; generation: number; builtAt: number; body: number },
): Promise<void> {
  const key = { cube, level: levels.indexOf(level), bucket, chunk };
  const values = {
    generation,
    upTo,
    rows: block.rows,
    splits: splitBits(block.splits),
    builtAt,
    body,
    block: body > 0 ? outlineOf(block) : encodeBlock(block),
  };
  if (replaces === 0) {
    const added = await transaction
      .insertInto('statistics_unit')
      .values({ ...key, ...values, sealed: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (!added.numInsertedOrUpdatedRows) throw new CubeChanged();
    return;
  }
  const { numUpdatedRows } = await transaction
    .updateTable('statistics_unit')
    .set(values)
    .where('cube', '=', cube)
    .where('level', '=', key.level)
    .where('bucket', '=', bucket)
    .where('chunk', '=', chunk)
    .where('generation', '=', replaces)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new CubeChanged();
}

async function raiseVersion(transaction: StatisticsQueries, cube: number): Promise<number> {
  const row = await transaction
    .updateTable('statistics_cube')
    .set((column) => ({ version: column('version', '+', 1) }))
    .where('id', '=', cube)
    .returning('version')
    .executeTakeFirst();
  // It was erased meanwhile.
  if (!row) throw new CubeChanged();
  return row.version;
}

/** From now on the day itself is the finest record. `generation` is that of the day. */
async function sealDay(
  transaction: StatisticsQueries,
  { cube, bucket, chunk, generation }: { cube: number; bucket: number; chunk: number; generation: number },
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('statistics_unit')
    .set({ sealed: 1 })
    .where('cube', '=', cube)
    .where('level', '=', levels.indexOf('day'))
    .where('bucket', '=', bucket)
    .where('chunk', '=', chunk)
    .where('generation', '=', generation)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await transaction
    .deleteFrom('statistics_unit')
    .where('cube', '=', cube)
    .where('level', '=', levels.indexOf('slot'))
    .where('bucket', '=', bucket)
    .where('chunk', '=', chunk)
    .execute();
}

function splitBits(splits: readonly number[]): number {
  let bits = 0;
  for (let split = 0; split + 1 < splits.length; split++)
    if ((splits[split + 1] as number) > (splits[split] as number)) bits += 2 ** split;
  return bits;
}
