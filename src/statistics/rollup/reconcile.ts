import { formatDay } from '../calendar/days.ts';
import type { Block } from '../columns/block.ts';
import { chunkSize } from '../columns/block.ts';
import { sumBlocks } from '../columns/sum-blocks.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf } from '../cube/snapshot.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { Kind } from '../schema/schemas.ts';
import type { UnitMeta } from '../store/store.ts';
import { buildUnit } from './build-unit.ts';
import { skipTooLarge } from './skip-too-large.ts';

/** The first place where a level does not agree with the next finer one. */
export interface Difference {
  kind: string;
  user: string;
  level: string;
  /** The first day of the unit; `all` for totals. */
  unit: string;
  entity: string;
  split: string;
  dimension: string;
  /** What the finer level adds up to. */
  expected: number;
  got: number;
}

export interface Reconciled {
  cubes: number;
  units: number;
  difference: Difference | undefined;
  /** The first kinds and users that were left out because a sum would exceed 2^53. */
  tooLarge: string[];
}

const cubesAtOnce = 100;

/** Proves that every day, week, month and total agrees with the level below, or names the first difference. */
export async function reconcile(
  statistics: Statistics,
  options: { kind?: string | undefined; user?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Reconciled> {
  const { store, schemas, reader } = statistics;
  const { kind, user, signal } = options;
  const done: Omit<Reconciled, 'difference'> = { cubes: 0, units: 0, tooLarge: [] };
  for (let afterId = 0; ; ) {
    const page = await store.cubes({ kind, user, afterId, limit: cubesAtOnce });
    for (const cube of page) {
      const known = schemas.find(cube.kind);
      if (!known) continue;
      const checked = await skipTooLarge(cube, done.tooLarge, () =>
        reader.view(cube.kind, cube.user, (view) => checkCube(statistics, view, known, signal)),
      );
      if (!checked) continue;
      done.cubes++;
      done.units += checked.units;
      if (checked.difference) return { ...done, difference: checked.difference };
    }
    afterId = page.at(-1)?.id ?? 0;
    if (page.length < cubesAtOnce) return { ...done, difference: undefined };
  }
}

async function checkCube(
  { attributes }: Statistics,
  view: CubeView | undefined,
  kind: Kind,
  signal: AbortSignal | undefined,
): Promise<{ units: number; difference: Difference | undefined }> {
  let units = 0;
  if (!view) return { units, difference: undefined };
  for (const unit of view.snapshot.units()) {
    signal?.throwIfAborted();
    // There is nothing finer to compare with.
    if (unit.level === 'slot' || unit.sealed) continue;
    units++;
    const expected = await buildUnit(view, kind, unit);
    const got = await withNewer(view, kind, unit);
    const place = firstDifference(expected, got, kind);
    if (!place) continue;
    const ordinal = unit.chunk * chunkSize + place.entity;
    const entity = (await attributes.some(view.head.id, [ordinal])).get(ordinal);
    const { kind: kindName, user } = view.head;
    return {
      units,
      difference: {
        kind: kindName,
        user,
        level: unit.level,
        entity: entity?.key ?? String(ordinal),
        unit: unit.level === 'total' ? 'all' : formatDay(unit.bucket),
        split: kind.schema.split.values[place.split] ?? '',
        dimension: kind.schema.dimensions[place.dimension]?.name ?? '',
        expected: place.expected,
        got: place.got,
      },
    };
  }
  return { units, difference: undefined };
}

/** The published unit and what is newer: what a query would read. */
async function withNewer(view: CubeView, { schema }: Kind, unit: UnitMeta): Promise<Block> {
  const { level, bucket, chunk } = unit;
  const readings = [
    { source: { unit }, weight: 1 },
    ...view.snapshot.newer(level, bucket).map((segment) => ({ source: { segment }, weight: 1 })),
  ].filter((reading) => chunkOf(reading) === chunk);
  const blocks = await view.read(readings, { keep: false });
  return sumBlocks(
    blocks.map((block) => ({ block, sign: 1 })),
    { splits: schema.split.values.length, dimensions: schema.dimensions.length },
  );
}

/** Both are in the order of splits and entities, without rows that are all zero. */
function firstDifference(expected: Block, got: Block, { schema }: Kind) {
  const places = Math.max(expected.rows, got.rows);
  for (let at = 0; at < places; at++) {
    const one = rowAt(expected, at);
    const other = rowAt(got, at);
    const first = other === undefined || (one !== undefined && one.rank <= other.rank) ? one : other;
    if (!first) return undefined;
    for (let dimension = 0; dimension < schema.dimensions.length; dimension++) {
      const sumIn = (block: Block, row: typeof one) =>
        row?.rank === first.rank ? (block.columns[dimension]?.[at] ?? 0) : 0;
      const [wanted, found] = [sumIn(expected, one), sumIn(got, other)];
      if (wanted !== found)
        return { split: first.split, entity: first.entity, dimension, expected: wanted, got: found };
    }
  }
  return undefined;
}

function rowAt(block: Block, row: number): { rank: number; split: number; entity: number } | undefined {
  if (row >= block.rows) return undefined;
  const split = block.splits.findLastIndex((start, index) => start <= row && index < block.splits.length - 1);
  const entity = block.entities[row] as number;
  return { rank: split * chunkSize + entity, split, entity };
}
