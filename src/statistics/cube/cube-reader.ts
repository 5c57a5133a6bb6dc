import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Block } from '../columns/block.ts';
import {
  type CubeHead,
  type FarSums,
  Replaced,
  type SegmentMeta,
  type StatisticsStore,
  type UnitMeta,
} from '../store/store.ts';
import { Turns } from '../turns/turns.ts';
import { BlockCache } from './block-cache.ts';
import { type Reading, Snapshot } from './snapshot.ts';

/** A cube at one moment, with access to its blocks. */
export interface CubeView {
  head: CubeHead;
  snapshot: Snapshot;
  /** The blocks, in the order of the readings. With `keep` false they are not cached. */
  read(readings: readonly Reading[], options?: { keep?: boolean }): Promise<Block[]>;
  /** Sums of units whose rows the store adds up by itself: those with a `body`. */
  readonly far: FarSums;
  /** For code that computes with the blocks. */
  readonly turns: Turns;
  /** What was read for this view so far. */
  readonly counts: ReadCounts;
}

export interface ReadCounts {
  blocks: number;
  rows: number;
  /** Of these, loaded from the store now; the others were in memory. */
  loaded: number;
  loadedBytes: number;
}

/** What a process caches of a cube. Immutable: a newer one replaces it. */
interface Known {
  head: CubeHead;
  units: ReadonlyMap<string, UnitMeta>;
  segments: readonly SegmentMeta[];
  snapshot: Snapshot;
}

/** Blocks loaded at once; a cancelled read ends after these. */
const loadedAtOnce = 100;
/** Maximum restarts of a read because units were replaced meanwhile. Each roll-up of a cube can cause one. */
const mostTries = 10;
/** Maximum cached metadata of all cubes together, about 150 bytes each. */
const mostRemembered = 200_000;

/**
 * Reads cubes through a cache. A cube that has not changed costs one small query; blocks are loaded once. A view is consistent:
 * units first, then segments, and batches are numbered in the order of their commits, so every batch is either in a unit or in the
 * list, or newer than both.
 */
export class CubeReader {
  readonly #store: StatisticsStore;
  readonly #blocks: BlockCache;
  readonly #known = new Map<string, Known>();
  #remembered = 0;

  constructor(store: StatisticsStore, cacheBytes: number) {
    this.#store = store;
    this.#blocks = new BlockCache(cacheBytes);
  }

  /** Runs `work` on a view of the cube, again if something was replaced under it; undefined: there is no such cube. */
  async view<T>(
    kind: string,
    user: string,
    work: (view: CubeView | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const turns = new Turns(signal);
    for (let tries = 1; ; tries++) {
      try {
        await turns.next();
        const known = await this.#current(kind, user);
        return await work(known && this.#viewOf(known, turns, signal));
      } catch (error) {
        if (!(error instanceof Replaced)) throw error;
        this.#forget(`${kind}\0${user}`);
        if (tries >= mostTries)
          throw new PismakError('unavailable', 'these statistics keep being rebuilt; try again', {
            cause: error,
          });
      }
    }
  }

  #viewOf({ head, snapshot }: Known, turns: Turns, signal: AbortSignal | undefined): CubeView {
    const counts: ReadCounts = { blocks: 0, rows: 0, loaded: 0, loadedBytes: 0 };
    return {
      head,
      snapshot,
      turns,
      counts,
      far: countedFar(this.#store, counts, signal),
      read: (readings, { keep = true } = {}) => this.#read({ head, turns, counts }, readings, keep),
    };
  }

  async #read(
    { head, turns, counts }: Pick<CubeView, 'head' | 'turns' | 'counts'>,
    readings: readonly Reading[],
    keep: boolean,
  ): Promise<Block[]> {
    const found = readings.map(({ source }) => this.#blocks.get(keyOf(source)));
    const missing = [...readings.keys()].filter((index) => !found[index]);
    for (const portion of chunks(missing, loadedAtOnce)) {
      await turns.next();
      const sources = portion.map((index) => (readings[index] as Reading).source);
      const units = sources.flatMap((source) => ('unit' in source ? [source.unit] : []));
      const segments = sources.flatMap((source) => ('segment' in source ? [source.segment] : []));
      const loaded = new Map<object, Block>([
        ...(units.length > 0 ? await this.#store.readUnits(head.id, units) : []),
        ...(segments.length > 0 ? await this.#store.readSegments(head.id, segments) : []),
      ]);
      for (const [place, index] of portion.entries()) {
        const key = keyOf(sources[place] as Reading['source']);
        const block = loaded.get(key);
        if (!block) throw new Replaced('a block is gone');
        found[index] = block;
        if (keep) this.#blocks.set(key, block);
        counts.loaded++;
        counts.loadedBytes += block.bytes;
      }
    }
    counts.blocks += readings.length;
    return found.map((block) => {
      counts.rows += block?.rows ?? 0;
      return block as Block;
    });
  }

  async #current(kind: string, user: string): Promise<Known | undefined> {
    const key = `${kind}\0${user}`;
    const head = await this.#store.head(kind, user);
    if (!head) {
      this.#forget(key);
      return undefined;
    }
    const before = this.#known.get(key);
    if (before && before.head.id === head.id && before.head.version === head.version) {
      this.#known.delete(key);
      this.#known.set(key, before);
      return before;
    }
    const known =
      before && before.head.id === head.id && before.head.pruned === head.pruned ? before : undefined;
    const units = new Map(known?.units);
    for (const unit of await this.#store.units(head.id, known?.head.version ?? 0)) {
      const place = `${unit.level}/${unit.bucket}/${unit.chunk}`;
      const replaced = units.get(place);
      if (replaced?.generation === unit.generation) continue;
      if (replaced) this.#blocks.delete(replaced);
      units.set(place, unit);
    }
    const last = known?.segments.at(-1)?.seq ?? 0;
    const segments = [...(known?.segments ?? []), ...(await this.#store.segments(head.id, last))];
    const after = await this.#store.head(kind, user);
    if (after?.pruned !== head.pruned) throw new Replaced('segments were deleted meanwhile');
    const snapshot = new Snapshot({ seq: head.seq, units: [...units.values()], segments });
    this.#remember(key, { head, units, segments, snapshot });
    return this.#known.get(key);
  }

  #remember(key: string, known: Known): void {
    this.#forget(key, known);
    this.#known.set(key, known);
    this.#remembered += known.units.size + known.segments.length;
    for (const oldest of this.#known.keys()) {
      if (this.#remembered <= mostRemembered || oldest === key) break;
      this.#forget(oldest);
    }
  }

  /** Drops what is remembered, and blocks that `next` no longer needs. */
  #forget(key: string, next?: Known): void {
    const known = this.#known.get(key);
    if (!known) return;
    this.#known.delete(key);
    this.#remembered -= known.units.size + known.segments.length;
    if (next && next.head.pruned === known.head.pruned) return;
    for (const unit of known.units.values()) this.#blocks.delete(unit);
    for (const segment of known.segments) this.#blocks.delete(segment);
  }
}

function keyOf(source: Reading['source']): UnitMeta | SegmentMeta {
  return 'unit' in source ? source.unit : source.segment;
}

/** The store's own sums, with their reads counted. Only a store with `far` has units with a `body`. */
function countedFar({ far }: StatisticsStore, counts: ReadCounts, signal: AbortSignal | undefined): FarSums {
  const count = (units: readonly UnitMeta[]) => {
    counts.blocks += units.length;
    counts.loaded += units.length;
    for (const { rows } of units) counts.rows += rows;
  };
  return {
    async byEntity(cube, units, options) {
      if (units.length === 0 || !far) return [];
      count(units.map(({ unit }) => unit));
      return far.byEntity(cube, units, { signal, ...options });
    },
    async byUnit(cube, units, options) {
      if (units.length === 0 || !far) return new Map();
      count(units);
      return far.byUnit(cube, units, { signal, ...options });
    },
  };
}
