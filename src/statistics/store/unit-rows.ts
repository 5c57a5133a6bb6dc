import type { Block } from '../columns/block.ts';
import type { FarSums, UnitMeta } from './store.ts';

/** The shape of a block whose rows lie elsewhere: what is stored beside its metadata instead of it. */
export interface Outline {
  splits: number;
  slots: boolean;
  dimensions: number;
}

export interface FarUnit {
  body: number;
  level: number;
  chunk: number;
  block: Block;
}

/**
 * Where the rows of large units lie if not in the database. They never change: whatever replaces a unit has another number (`body`), and
 * only the database tells which number counts. So rows may be written before they count and dropped later, in any order.
 */
export interface UnitRows extends FarSums {
  /** Units with fewer rows stay in the database. */
  readonly leastRows: number;
  /** Resolves when all rows are stored by as many replicas as the quorum asks for. If it fails, the numbers must not be used again. */
  write(cube: number, units: readonly FarUnit[]): Promise<void>;
  /** Units whose rows are not all there are missing. */
  read(cube: number, wanted: readonly { unit: UnitMeta; outline: Outline }[]): Promise<Map<UnitMeta, Block>>;
  /** How many rows each cube has. */
  cubes(): Promise<Map<number, number>>;
  /** The numbers that a cube has rows of. */
  bodies(cube: number): Promise<number[]>;
  /** Drops the rows of these numbers, or all of the cube. They go in the background. */
  drop(cube: number, bodies?: readonly number[]): Promise<void>;
}

/** Numbers of one `publish` begin at its own number times this. */
export const bodiesPerWrite = 1024;
