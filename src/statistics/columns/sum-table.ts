import { PismakError } from '../../engine/ground/errors.ts';
import { type Block, toColumn } from './block.ts';

/** Keys stay below 2^30, which V8 hashes fastest: 32 splits, 256 slots, and entities up to this number. */
export const entityRange = 2 ** 17;
/** More rows than a chunk has in a day; combined with a key it stays below 2^53. */
const rowRange = 2 ** 23;

/**
 * Adds up rows by (split, slot, entity) into a block. Sums stay exact: whole numbers below 2^53 in doubles, and an error
 * instead of a sum that could have been rounded.
 */
export class SumTable {
  readonly #dimensions: number;
  readonly #places = new Map<number, number>();
  #keys = new Float64Array(64);
  #sums: Float64Array;
  #bounds: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#sums = new Float64Array(64 * dimensions);
    this.#bounds = new Float64Array(dimensions);
  }

  get rows(): number {
    return this.#places.size;
  }

  /** Where the sums of this row begin in `sums`. */
  place(split: number, slot: number, entity: number): number {
    const key = (split * 256 + slot) * entityRange + entity;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const row = this.#places.size;
    if (row === this.#keys.length) this.#grow();
    this.#keys[row] = key;
    const place = row * this.#dimensions;
    this.#places.set(key, place);
    return place;
  }

  /** Whether the sums stay exact with this value. */
  fits(dimension: number, value: number): boolean {
    return (this.#bounds[dimension] as number) + Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  }

  add(place: number, dimension: number, value: number): void {
    const bound = (this.#bounds[dimension] as number) + Math.abs(value);
    if (bound > Number.MAX_SAFE_INTEGER) throw tooLarge();
    this.#bounds[dimension] = bound;
    this.#sums[place + dimension] = (this.#sums[place + dimension] as number) + value;
  }

  addBlock(block: Block, sign: 1 | -1 = 1): void {
    for (let split = 0; split + 1 < block.splits.length; split++) {
      const end = block.splits[split + 1] as number;
      for (let row = block.splits[split] as number; row < end; row++) {
        const slot = block.slots ? (block.slots[row] as number) : 0;
        const place = this.place(split, slot, block.entities[row] as number);
        for (let dimension = 0; dimension < block.columns.length; dimension++) {
          const value = block.columns[dimension]?.[row];
          if (value) this.add(place, dimension, sign * value);
        }
      }
    }
  }

  /** `entityOf` gives the number to store for an entity of this table, or undefined if it belongs to another chunk. */
  toBlock(options: { splits: number; slots?: boolean; entityOf?: EntityOf }): Block {
    const { splits: splitCount, slots: withSlots = false, entityOf } = options;
    const dimensions = this.#dimensions;
    const order = this.#order(entityOf);
    const rows = order.length;
    const entities = new Uint16Array(rows);
    const slots = withSlots ? new Uint8Array(rows) : undefined;
    const splits: number[] = [0];
    for (let row = 0; row < rows; row++) {
      const rank = Math.floor((order[row] as number) / rowRange);
      const group = Math.floor(rank / entityRange);
      entities[row] = rank % entityRange;
      if (slots) slots[row] = group % 256;
      while (splits.length <= Math.floor(group / 256)) splits.push(row);
    }
    while (splits.length <= splitCount) splits.push(rows);
    const columns = [];
    const bounds: number[] = [];
    let bytes = 300 + rows * (withSlots ? 3 : 2);
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const values = new Float64Array(rows);
      let bound = 0;
      for (let row = 0; row < rows; row++) {
        const place = ((order[row] as number) % rowRange) * dimensions;
        const value = this.#sums[place + dimension] as number;
        values[row] = value;
        bound += Math.abs(value);
      }
      const column = toColumn(values);
      columns.push(column);
      bounds.push(bound);
      bytes += column?.byteLength ?? 0;
    }
    return { rows, entities, slots, splits, columns, bounds, bytes };
  }

  /** The non-zero rows in block order, with rank and row packed into one number: numbers sort faster than objects. */
  #order(entityOf: EntityOf = (entity) => entity): Float64Array {
    const dimensions = this.#dimensions;
    const sums = this.#sums;
    const order = new Float64Array(this.rows);
    let count = 0;
    for (let row = 0; row < order.length; row++) {
      let dimension = 0;
      while (dimension < dimensions && sums[row * dimensions + dimension] === 0) dimension++;
      // Rows whose sums are all zero are not stored.
      if (dimension === dimensions) continue;
      const key = this.#keys[row] as number;
      const entity = key % entityRange;
      const stored = entityOf(entity);
      if (stored !== undefined) order[count++] = (key - entity + stored) * rowRange + row;
    }
    return order.subarray(0, count).sort();
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    const sums = new Float64Array(2 * this.#sums.length);
    sums.set(this.#sums);
    this.#sums = sums;
  }
}

type EntityOf = (entity: number) => number | undefined;

export function tooLarge(): PismakError {
  return new PismakError(
    'too-large',
    'a sum would exceed 2^53 and could not be exact; ask for a shorter interval, or count in a larger unit',
  );
}
