import { type Block, toColumn } from './block.ts';
import { kernelsFor } from './kernels.ts';
import { tooLarge } from './sum-table.ts';

/** A block to add or to subtract. */
export interface Signed {
  block: Block;
  sign: number;
}

/** Per split and dimension, the sums of each entity of a chunk. */
export interface EntitySums {
  /** One more than the highest entity number. */
  entities: number;
  /** `sums[split]?.[dimension]?.[entity]`; undefined where all are zero. */
  sums: (Float64Array | undefined)[][];
}

/**
 * The sums per entity over all blocks, which may be of any units and slots. Exact: the bounds of the blocks are added up
 * first, and if the total stays below 2^53, no sum in between can have been rounded.
 */
export function sumByEntity(blocks: readonly Signed[], options: SumOptions): EntitySums {
  const sums = beginSums(blocks, options);
  for (const signed of blocks) addToSums(sums, signed, options);
  return sums;
}

export interface SumOptions {
  splits: number;
  dimensions: readonly number[];
}

/** For callers that pause between blocks: call `addToSums` for each of them afterwards. */
export function beginSums(blocks: readonly Signed[], options: SumOptions): EntitySums {
  let entities = 0;
  for (const { block } of blocks)
    for (let split = 0; split + 1 < block.splits.length; split++) {
      // Without slots the last row of a split has its highest entity.
      const end = block.splits[split + 1] as number;
      if (end === block.splits[split]) continue;
      if (!block.slots) entities = Math.max(entities, (block.entities[end - 1] as number) + 1);
    }
  for (const { block } of blocks)
    if (block.slots) for (const entity of block.entities) entities = Math.max(entities, entity + 1);
  checkBounds(blocks, options.dimensions);
  return { entities, sums: Array.from({ length: options.splits }, () => []) };
}

export function addToSums(
  { entities, sums }: EntitySums,
  { block, sign }: Signed,
  { dimensions }: SumOptions,
): void {
  for (const dimension of dimensions) {
    const column = block.columns[dimension];
    if (!column) continue;
    for (let split = 0; split + 1 < block.splits.length; split++) {
      const from = block.splits[split] as number;
      const to = block.splits[split + 1] as number;
      const ofSplit = sums[split];
      if (from === to || !ofSplit) continue;
      ofSplit[dimension] ??= new Float64Array(entities);
      kernelsFor(column).addByEntity(ofSplit[dimension], block.entities, column, from, to, sign);
    }
  }
}

/** One block with the sums of all these: the next coarser unit of time. */
export function sumBlocks(
  blocks: readonly Signed[],
  { splits: splitCount, dimensions: count }: { splits: number; dimensions: number },
): Block {
  const dimensions = Array.from({ length: count }, (_, index) => index);
  const { entities: highest, sums } = sumByEntity(blocks, { splits: splitCount, dimensions });
  const kept: number[][] = sums.map((columns) => nonZero(columns, highest));
  const rows = kept.reduce((sum, list) => sum + list.length, 0);
  const entities = new Uint16Array(rows);
  const splits = [0];
  for (const list of kept) {
    entities.set(list, splits.at(-1));
    splits.push((splits.at(-1) as number) + list.length);
  }
  const bounds: number[] = [];
  const columns = dimensions.map((dimension) => {
    const values = new Float64Array(rows);
    let row = 0;
    let bound = 0;
    for (const [split, list] of kept.entries()) {
      const column = sums[split]?.[dimension];
      for (const entity of list) {
        const value = column?.[entity] ?? 0;
        values[row++] = value;
        bound += Math.abs(value);
      }
    }
    bounds[dimension] = bound;
    return toColumn(values);
  });
  const bytes = columns.reduce((sum, column) => sum + (column?.byteLength ?? 0), 300 + 2 * rows);
  return { rows, entities, slots: undefined, splits, columns, bounds, bytes };
}

/** Fails if a sum over these blocks could exceed 2^53. */
export function checkBounds(blocks: readonly Signed[], dimensions: readonly number[]): void {
  for (const dimension of dimensions) {
    let bound = 0;
    for (const { block, sign } of blocks) bound += Math.abs(sign) * (block.bounds[dimension] ?? 0);
    if (bound > Number.MAX_SAFE_INTEGER) throw tooLarge();
  }
}

function nonZero(columns: readonly (Float64Array | undefined)[], entities: number): number[] {
  const used = columns.filter((column) => column !== undefined);
  const kept: number[] = [];
  for (let entity = 0; entity < entities; entity++) {
    for (const column of used)
      if (column[entity] !== 0) {
        kept.push(entity);
        break;
      }
  }
  return kept;
}
