import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Block } from '../columns/block.ts';
import type { StatisticsDatabase, StatisticsQueries } from '../database/tables.ts';
import { levels, type NewUnit } from './store.ts';
import { bodiesPerWrite, type Outline, type UnitRows } from './unit-rows.ts';

/** A write that has not ended by then never will, so its rows may be dropped. */
const writeMs = 3_600_000;

/** Numbers of the units whose rows were written elsewhere. They count once the database says so. */
export interface Written {
  /** Of the write, to be ended in the transaction that makes the rows count; undefined if there were none. */
  write: number | undefined;
  bodies: ReadonlyMap<NewUnit, number>;
}

export function outlineOf(block: Block): Uint8Array {
  const outline: Outline = {
    splits: block.splits.length - 1,
    slots: block.slots !== undefined,
    dimensions: block.columns.length,
  };
  return Buffer.from(JSON.stringify(outline));
}

/** Only we write these. */
export function parseOutline(stored: Uint8Array): Outline {
  return JSON.parse(Buffer.from(stored).toString()) as Outline;
}

/** Writes the rows of the large units. The write is recorded first, so that its rows can be found even if it fails. */
export async function writeFar(
  { database, clock, rows }: { database: StatisticsDatabase; clock: Clock; rows: UnitRows | undefined },
  cube: number,
  units: readonly NewUnit[],
): Promise<Written> {
  const large = rows ? units.filter(({ block }) => block.rows >= rows.leastRows) : [];
  if (!rows || large.length === 0) return { write: undefined, bodies: new Map() };
  if (large.length > bodiesPerWrite)
    throw new PismakError('too-large', `more than ${bodiesPerWrite} units are published at once`);
  const { id } = await database.query
    .insertInto('statistics_write')
    .values({ cube, createdAt: clock.now() } as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  const bodies = new Map(large.map((unit, index) => [unit, id * bodiesPerWrite + index]));
  await rows.write(
    cube,
    large.map((unit) => ({
      body: bodies.get(unit) ?? 0,
      level: levels.indexOf(unit.level),
      chunk: unit.chunk,
      block: unit.block,
    })),
  );
  return { write: id, bodies };
}

/** In the transaction that makes the rows count. False if the write took so long that its rows may be gone. */
export async function endWrite(transaction: StatisticsQueries, { write }: Written): Promise<boolean> {
  if (write === undefined) return true;
  const ended = transaction.deleteFrom('statistics_write').where('id', '=', write);
  return (await ended.executeTakeFirst()).numDeletedRows > 0n;
}

/**
 * Drops rows that no unit refers to: of units that were replaced, and of writes that failed. First what is there is listed, then what
 * counts: rows that begin to count in between are found there.
 */
export async function dropReplaced(
  { database, clock, rows }: { database: StatisticsDatabase; clock: Clock; rows: UnitRows },
  { leastRows, signal }: { leastRows: number; signal?: AbortSignal | undefined },
): Promise<number> {
  const tooOld = clock.now() - writeMs;
  await database.query.deleteFrom('statistics_write').where('createdAt', '<', tooOld).execute();
  const stored = await rows.cubes();
  const counting = await database.query
    .selectFrom('statistics_unit')
    .select(({ fn }) => ['cube', fn.sum<number>('rows').as('rows')])
    .where('body', '>', 0)
    .groupBy('cube')
    .execute();
  const used = new Map(counting.map((row) => [row.cube, Number(row.rows)]));
  let dropped = 0;
  for (const [cube, count] of stored) {
    signal?.throwIfAborted();
    if (count - (used.get(cube) ?? 0) < Math.max(1, leastRows)) continue;
    const listed = await rows.bodies(cube);
    const kept = await bodiesInUse(database, cube);
    const replaced = listed.filter(
      (body) => !kept.has(body) && !kept.has(-Math.floor(body / bodiesPerWrite)),
    );
    if (replaced.length > 0) await rows.drop(cube, replaced);
    dropped += replaced.length;
  }
  return dropped;
}

/** Those of units, and as negative numbers the writes under way. */
async function bodiesInUse(database: StatisticsDatabase, cube: number): Promise<Set<number>> {
  // Writes first: one that ends in between is in the units by then.
  const writes = await database.query
    .selectFrom('statistics_write')
    .select('id')
    .where('cube', '=', cube)
    .execute();
  const units = await database.query
    .selectFrom('statistics_unit')
    .select('body')
    .where('cube', '=', cube)
    .where('body', '>', 0)
    .execute();
  return new Set([...writes.map(({ id }) => -id), ...units.map(({ body }) => body)]);
}
