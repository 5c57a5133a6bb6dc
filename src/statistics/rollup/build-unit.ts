import { chunks } from '../../engine/ground/chunks.ts';
import { type Day, unitOf, unitsWithin } from '../calendar/days.ts';
import type { Block } from '../columns/block.ts';
import { type Signed, sumBlocks } from '../columns/sum-blocks.ts';
import { SumTable } from '../columns/sum-table.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import type { Reading, Snapshot } from '../cube/snapshot.ts';
import { chunkOf } from '../cube/snapshot.ts';
import type { Scan } from '../plan/plan.ts';
import type { Kind } from '../schema/schemas.ts';
import type { Level } from '../store/store.ts';

/** Blocks held at once: more are added up part by part, so that memory doesn't grow with the length of the history. */
const blocksAtOnce = 8;

/**
 * Computes a unit anew from the next finer level and what is newer, up to the view's `seq`. The unit's old content is not used, so a
 * re-run replaces it and gives the same. Only slots, and days whose slots are gone, are the finest record themselves.
 */
export async function buildUnit(
  view: CubeView,
  { schema }: Kind,
  { level, bucket, chunk }: { level: Level; bucket: Day; chunk: number },
): Promise<Block> {
  const shape = { splits: schema.split.values.length, dimensions: schema.dimensions.length };
  const readings = sourcesOf(view.snapshot, level, bucket, chunk);
  if (level === 'slot') {
    const table = new SumTable(shape.dimensions);
    for (const part of chunks(readings, blocksAtOnce))
      for (const block of await view.read(part, { keep: false })) table.addBlock(block);
    return table.toBlock({ splits: shape.splits, slots: true });
  }
  let sum: Signed[] = [];
  for (const part of chunks(readings, blocksAtOnce)) {
    const blocks = await view.read(part, { keep: false });
    const signed = part.map(({ weight }, index) => ({ block: blocks[index] as Block, sign: weight }));
    sum = [{ block: sumBlocks([...sum, ...signed], shape), sign: 1 }];
  }
  return sum[0]?.block ?? sumBlocks([], shape);
}

/** The chunks that a unit has, or will have once it contains what is newer. */
export function chunksOf(snapshot: Snapshot, level: Level, bucket: Day): number[] {
  const chunks = new Set(snapshot.unitsAt(level, bucket).map(({ chunk }) => chunk));
  for (const scan of finerScans(snapshot, level, bucket))
    for (const reading of snapshot.resolve([scan])) chunks.add(chunkOf(reading));
  for (const { chunk } of snapshot.newer(level, bucket)) chunks.add(chunk);
  return [...chunks].sort((one, other) => one - other);
}

function sourcesOf(snapshot: Snapshot, level: Level, bucket: Day, chunk: number): Reading[] {
  const ofChunk = (readings: readonly Reading[]) => readings.filter((reading) => chunkOf(reading) === chunk);
  if (level !== 'slot' && level !== 'day')
    return ofChunk(snapshot.resolve(finerScans(snapshot, level, bucket)));
  const sealed = snapshot.unitAt('day', bucket, chunk)?.sealed ?? false;
  const base = sealed ? 'day' : 'slot';
  const unit = snapshot.unitAt(base, bucket, chunk);
  const newer = snapshot.newer(base, bucket).map((segment) => ({ source: { segment }, weight: 1 }));
  return ofChunk([...(unit ? [{ source: { unit }, weight: 1 }] : []), ...newer]);
}

/** The days of a week or month, the months of all time. */
function finerScans(snapshot: Snapshot, level: Level, bucket: Day): Scan[] {
  const { history } = snapshot;
  if (level === 'slot' || level === 'day' || !history) return [];
  if (level === 'total')
    return unitsWithin('month', history).map(({ from }) => ({
      level: 'month',
      bucket: unitOf('month', from).from,
      sign: 1,
    }));
  const { from, to } = unitOf(level, bucket);
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    level: 'day',
    bucket: from + index,
    sign: 1,
  }));
}
