import type { Column } from './block.ts';

/**
 * The inner loops, compiled once per column type: a loop shared by all four types would look up the type at each value.
 */
interface Kernels {
  /** The sum of the listed rows. */
  sumListed(column: Column, rows: Int32Array, count: number): number;
  sumRange(column: Column, from: number, to: number): number;
  /** Adds `sign` times each row to the sum of its entity. */
  addByEntity(
    sums: Float64Array,
    entities: Uint16Array,
    column: Column,
    from: number,
    to: number,
    sign: number,
  ): void;
}

/** New functions from one fixed text. */
function compile(): Kernels {
  const build = new Function(`'use strict'; return {
    sumListed(column, rows, count) {
      let sum = 0;
      for (let at = 0; at < count; at++) sum += column[rows[at]];
      return sum;
    },
    sumRange(column, from, to) {
      let sum = 0;
      for (let row = from; row < to; row++) sum += column[row];
      return sum;
    },
    addByEntity(sums, entities, column, from, to, sign) {
      for (let row = from; row < to; row++) sums[entities[row]] += sign * column[row];
    },
  };`);
  return build() as Kernels;
}

const bytes = compile();
const words = compile();
const integers = compile();
const doubles = compile();

/** The loops for this column. */
export function kernelsFor(column: Column): Kernels {
  if (column instanceof Uint8Array) return bytes;
  if (column instanceof Uint16Array) return words;
  return column instanceof Int32Array ? integers : doubles;
}
