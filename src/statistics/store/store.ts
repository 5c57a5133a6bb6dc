import type { Day } from '../calendar/days.ts';
import type { Block } from '../columns/block.ts';
import type { Limits } from './limits.ts';

/** Levels of storage, from the finest to the coarsest. Quarters and years are read from months. */
export const levels = ['slot', 'day', 'week', 'month', 'total'] as const;
export type Level = (typeof levels)[number];

/** All statistics of one user and one kind. */
export interface CubeHead {
  id: number;
  kind: string;
  user: string;
  seq: number;
  version: number;
  pruned: number;
  entities: number;
  entityVersion: number;
}

/** A published unit: the sums of a chunk of entities in one day, week, month, or in all time. */
export interface UnitMeta {
  level: Level;
  /** Its first day; 0 for `total`. */
  bucket: Day;
  chunk: number;
  generation: number;
  /** It contains exactly the segments of its days up to this number. */
  upTo: number;
  rows: number;
  splits: number;
  sealed: boolean;
  /** 0 if its block lies beside this; else the number of its rows where the store keeps large units. */
  body: number;
}

/** The events of one batch for one day and one chunk. */
export interface SegmentMeta {
  seq: number;
  day: Day;
  chunk: number;
  rows: number;
}

export interface NewUnit {
  level: Level;
  bucket: Day;
  chunk: number;
  upTo: number;
  block: Block;
  /** The generation that it replaces; 0 if there was none. */
  replaces: number;
}

/** One batch, checked and added up per cube and day. Entities are numbered as in `keys`. */
export interface PreparedBatch {
  /** Tokens of different owners never clash. */
  owner: string;
  token: string;
  /** Of the content: the same token with other content is refused. */
  hash: string;
  receivedAt: number;
  events: number;
  refused: number;
  cubes: readonly PreparedCube[];
  corrections: readonly Correction[];
  /** Months that were taken for closed: events for these are in `corrections`. */
  closed: ReadonlySet<Day>;
  /** Undefined for administrators. */
  limits?: Limits | undefined;
}

export interface PreparedCube {
  kind: string;
  user: string;
  keys: readonly string[];
  days: readonly PreparedDay[];
}

export interface PreparedDay {
  day: Day;
  events: number;
  /** If true, the day must not be sealed. */
  mayBeSealed: boolean;
  /** The blocks by chunk, once it is known which number each of the keys has. */
  blocks(ordinals: readonly number[]): { chunk: number; block: Block }[];
}

export interface Correction {
  kind: string;
  user: string;
  entity: string;
  split: string;
  at: number;
  day: Day;
  event: string;
  dimensions: Readonly<Record<string, number>>;
}

export interface BatchCounts {
  events: number;
  accepted: number;
  refused: number;
  corrections: number;
}

export type Accepted =
  | ({ outcome: 'accepted' | 'duplicate' } & BatchCounts)
  /** The token was used for other content. */
  | { outcome: 'mismatch'; events: number }
  /** Nothing was stored: these days are sealed. */
  | { outcome: 'sealed'; days: { kind: string; user: string; day: Day }[] }
  /** Nothing was stored: other months are closed than the batch was prepared for. */
  | { outcome: 'closed' };

/**
 * The port to where sums are kept. Every adapter promises:
 *
 * - A batch is taken as a whole and durably, or not at all; twice with one token counts once.
 * - Numbers of batches (`seq`) rise per cube in the order of their commits: a reader who sees one sees all before.
 * - A unit is replaced by one compare-and-set of its generation; readers see the old one or the new one.
 * - What `readUnits` and `readSegments` return belongs to the metadata asked for; what is no longer there is missing.
 */
export interface StatisticsStore {
  accept(batch: PreparedBatch): Promise<Accepted>;
  /** Writes the difference between what a day has and what it should have. False if the cube has changed meanwhile. */
  correctDay(change: DayChange): Promise<boolean>;

  head(kind: string, user: string): Promise<CubeHead | undefined>;
  /** In the order of their ids, those after `afterId`. */
  cubes(filter: CubeFilter): Promise<CubeHead[]>;
  /** Those published after this generation. */
  units(cube: number, afterGeneration: number): Promise<UnitMeta[]>;
  /** Those after this number. */
  segments(cube: number, afterSeq: number): Promise<SegmentMeta[]>;
  readUnits(cube: number, wanted: readonly UnitMeta[]): Promise<Map<UnitMeta, Block>>;
  readSegments(cube: number, wanted: readonly SegmentMeta[]): Promise<Map<SegmentMeta, Block>>;

  /** Replaces all these units, or none: false if another process has published one of them meanwhile. */
  publish(cube: number, units: readonly NewUnit[]): Promise<boolean>;
  /** Deletes segments that all units contain, and the slots of days that are over for good. */
  prune(cube: number, what: { segments: readonly SegmentMeta[]; seal: readonly UnitMeta[] }): Promise<void>;
  /** Deletes all that a cube has, as one change: no reader sees a part of it. Resolves to the number of its entities. */
  erase(cube: number): Promise<number>;
  /** Drops rows of units that were replaced, from cubes that have at least so many of them. Resolves to the number of units dropped. */
  dropReplaced(options: { leastRows: number; signal?: AbortSignal | undefined }): Promise<number>;

  /** Adds up units whose `body` is not 0. Without it there are none. */
  readonly far?: FarSums;
}

/** Sums by split and then by the place of the dimension in the question. */
export type UnitSums = (number[] | undefined)[];

/**
 * Adds up where the rows of large units are, so that sums travel instead of rows. Fails with `Replaced` if a unit is no longer there as a
 * whole.
 */
export interface FarSums {
  /** The weighted sums of each entity over all these units, as blocks to add up: a chunk may have several. */
  byEntity(
    cube: number,
    units: readonly { unit: UnitMeta; weight: number }[],
    options: { splits: number; dimensions: readonly number[]; signal?: AbortSignal | undefined },
  ): Promise<{ chunk: number; block: Block }[]>;
  /** For each unit the sums of the entities that the masks keep, or of all. */
  byUnit(
    cube: number,
    units: readonly UnitMeta[],
    options: {
      dimensions: readonly number[];
      masks: ReadonlyMap<number, Uint8Array> | undefined;
      signal?: AbortSignal | undefined;
    },
  ): Promise<Map<UnitMeta, UnitSums>>;
}

/** Something was replaced or deleted between reading its metadata and its rows: read the metadata again. */
export class Replaced extends Error {}

export interface CubeFilter {
  kind?: string | undefined;
  user?: string | undefined;
  /** Only those with segments: what units may not contain yet. */
  withSegments?: boolean;
  afterId?: number;
  limit: number;
}

export interface DayChange {
  kind: string;
  user: string;
  /** The cube's `seq` when the difference was computed; 0 if there was no cube. */
  seq: number;
  keys: readonly string[];
  day: PreparedDay;
  receivedAt: number;
  limits?: Limits | undefined;
}
