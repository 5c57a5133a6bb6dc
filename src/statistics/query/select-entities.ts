import type { DayRange } from '../calendar/days.ts';
import { type Block, chunkSize } from '../columns/block.ts';
import {
  addToSums,
  beginSums,
  type EntitySums,
  type Signed,
  type SumOptions,
} from '../columns/sum-blocks.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf, splitByPlace } from '../cube/snapshot.ts';
import type { AttributeCache } from '../entities/attributes.ts';
import { planRange, type Scan } from '../plan/plan.ts';
import type { Kind } from '../schema/schemas.ts';
import type { CompiledFilter } from './filter.ts';

/** What series and tables have in common. */
export interface Question {
  kind: Kind;
  user: string;
  range: DayRange;
  /** Indexes of the wanted splits. */
  splits: readonly number[];
  /** Indexes of the dimensions to answer with. */
  dimensions: readonly number[];
  filter?: CompiledFilter | undefined;
  /** Whether filters look at sums over the interval, or over all time. */
  over: 'interval' | 'all';
}

/** Entities tested in one turn: a filter may have a hundred conditions. */
const filteredAtOnce = 2048;

/** The entities that a filter keeps: by chunk, 1 for each of them. Undefined: all. */
export interface Selection {
  masks: ReadonlyMap<number, Uint8Array> | undefined;
  kept: number;
}

/** The scans for the sum over the question's interval, which may reach beyond all that was ever counted. */
export function scansOver({ snapshot }: CubeView, range: DayRange): Scan[] {
  const { history } = snapshot;
  if (!history) return [];
  const from = Math.max(range.from, history.from);
  const to = Math.min(range.to, history.to);
  return planRange({ from, to }, snapshot.cost, history);
}

/** The sums of each entity over these scans, by chunk. */
export async function sumsOfEntities(
  view: CubeView,
  scans: readonly Scan[],
  options: SumOptions,
): Promise<Map<number, EntitySums>> {
  const { far, near } = splitByPlace(view.snapshot.resolve(scans));
  const [added, blocks] = await Promise.all([view.far.byEntity(view.head.id, far, options), view.read(near)]);
  const byChunk = new Map<number, Signed[]>();
  const add = (chunk: number, signed: Signed) => {
    const ofChunk = byChunk.get(chunk);
    if (ofChunk) ofChunk.push(signed);
    else byChunk.set(chunk, [signed]);
  };
  for (const { chunk, block } of added) add(chunk, { block, sign: 1 });
  for (const [index, reading] of near.entries())
    add(chunkOf(reading), { block: blocks[index] as Block, sign: reading.weight });
  const summed = new Map<number, EntitySums>();
  for (const [chunk, ofChunk] of byChunk) {
    const sums = beginSums(ofChunk, options);
    for (const signed of ofChunk) {
      addToSums(sums, signed, options);
      await view.turns.next();
    }
    summed.set(chunk, sums);
  }
  return summed;
}

export async function selectEntities(
  view: CubeView,
  { kind, range, splits, filter, over }: Question,
  attributes: AttributeCache,
): Promise<Selection> {
  const { entities } = view.head;
  if (!filter) return { masks: undefined, kept: entities };
  const scans: Scan[] = over === 'all' ? [{ level: 'total', bucket: 0, sign: 1 }] : scansOver(view, range);
  const { dimensions } = filter;
  const all =
    dimensions.length === 0
      ? new Map<number, EntitySums>()
      : await sumsOfEntities(view, scans, { splits: kind.schema.split.values.length, dimensions });
  const rows = filter.needsAttributes ? await attributes.all(view.head, view.turns) : undefined;
  const masks = new Map<number, Uint8Array>();
  let kept = 0;
  for (let chunk = 0; chunk * chunkSize < entities; chunk++) {
    const size = Math.min(chunkSize, entities - chunk * chunkSize);
    const sums = all.get(chunk);
    const columns = dimensions.map((dimension) => addSplits(sums, splits, dimension, size));
    const place = new Map(dimensions.map((dimension, index) => [dimension, index]));
    const mask = new Uint8Array(chunkSize);
    let entity = 0;
    const sumOf = (dimension: number) => columns[place.get(dimension) ?? 0]?.[entity] ?? 0;
    for (; entity < size; entity++) {
      if (entity % filteredAtOnce === 0) await view.turns.next();
      if (!filter.keeps(sumOf, rows?.[chunk * chunkSize + entity])) continue;
      mask[entity] = 1;
      kept++;
    }
    masks.set(chunk, mask);
  }
  return { masks, kept };
}

/** The sums of a dimension over the wanted splits, entity by entity. */
export function addSplits(
  sums: EntitySums | undefined,
  splits: readonly number[],
  dimension: number,
  size: number,
): Float64Array {
  const added = new Float64Array(size);
  for (const split of splits) {
    const column = sums?.sums[split]?.[dimension];
    if (!column) continue;
    const rows = Math.min(size, column.length);
    for (let entity = 0; entity < rows; entity++)
      added[entity] = (added[entity] as number) + (column[entity] as number);
  }
  return added;
}
