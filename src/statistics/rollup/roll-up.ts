import { setImmediate } from 'node:timers/promises';
import { PismakError } from '../../engine/ground/errors.ts';
import { type Day, type DayRange, unitOf, unitsWithin } from '../calendar/days.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import type { Snapshot } from '../cube/snapshot.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { Kind } from '../schema/schemas.ts';
import { type CubeHead, type Level, levels, type NewUnit } from '../store/store.ts';
import { buildUnit, chunksOf } from './build-unit.ts';
import { skipTooLarge } from './skip-too-large.ts';

export interface RollUpOptions {
  /** Only this level; default: all, from the finest to the coarsest. */
  levels?: readonly Level[];
  kind?: string | undefined;
  user?: string | undefined;
  /** Only units that have rows of this split. */
  split?: string | undefined;
  /** Rebuild all units that overlap these days; default: those that lack events. */
  range?: DayRange | undefined;
  /** Also rebuild units that are up to date. */
  all?: boolean;
  signal?: AbortSignal | undefined;
  progress?: (done: RolledUp) => void;
}

export interface RolledUp {
  cubes: number;
  units: number;
  rows: number;
  /** The first kinds and users that were left out because a sum would exceed 2^53. */
  tooLarge: string[];
}

interface UnitKey {
  level: Level;
  bucket: Day;
  chunk: number;
}

const cubesAtOnce = 100;
/** What one transaction publishes: enough to share its `fsync`, not enough to hold up others. */
const publishedAtOnce = { units: 100, bytes: 8 * 2 ** 20 };
const mostTries = 20;

/** Brings units up to date, or rebuilds them: slots, days, weeks, months, totals. Safe to interrupt and to run twice. */
export async function rollUp(statistics: Statistics, options: RollUpOptions = {}): Promise<RolledUp> {
  const { store, schemas } = statistics;
  const { kind, user, signal, progress } = options;
  const done: RolledUp = { cubes: 0, units: 0, rows: 0, tooLarge: [] };
  const everything = options.all || options.range !== undefined;
  for (let afterId = 0; ; ) {
    const page = await store.cubes({ kind, user, withSegments: !everything, afterId, limit: cubesAtOnce });
    for (const cube of page) {
      const known = schemas.find(cube.kind);
      // Its schema is no longer installed: the data stays as it is.
      if (known)
        await skipTooLarge(cube, done.tooLarge, () => rollUpCube(statistics, cube, known, options, done));
      signal?.throwIfAborted();
      done.cubes++;
      progress?.(done);
    }
    afterId = page.at(-1)?.id ?? 0;
    if (page.length < cubesAtOnce) return done;
  }
}

async function rollUpCube(
  { reader, store, days, clock, keptMs }: Statistics,
  { id, kind: kindName, user }: CubeHead,
  kind: Kind,
  options: RollUpOptions,
  done: RolledUp,
): Promise<void> {
  const slotsFrom = days.dayAt(clock.now() - keptMs);
  for (const level of options.levels ?? levels) {
    let waiting: UnitKey[] | undefined;
    for (let tries = 0; waiting === undefined || waiting.length > 0; ) {
      options.signal?.throwIfAborted();
      const published = await reader.view(kindName, user, async (view) => {
        if (!view) return [];
        const keys = waiting ?? unitsToBuild(view, kind, level, slotsFrom, options);
        const batch = await buildSome(view, kind, keys);
        waiting = keys;
        if (batch.length === 0) return [];
        return (await store.publish(id, batch)) ? batch : undefined;
      });
      if (published === undefined) {
        // Another process published the same units. Try again: theirs may lack newer events.
        if (++tries > mostTries)
          throw new PismakError('unavailable', `the ${level} of ${kindName} of ${user} is rebuilt elsewhere`);
        continue;
      }
      waiting = waiting?.slice(published.length) ?? [];
      done.units += published.length;
      done.rows += published.reduce((sum, { block }) => sum + block.rows, 0);
      options.progress?.(done);
      if (published.length === 0) break;
      await setImmediate();
    }
  }
}

/** The first of these units, computed. */
async function buildSome(view: CubeView, kind: Kind, keys: readonly UnitKey[]): Promise<NewUnit[]> {
  const built: NewUnit[] = [];
  let bytes = 0;
  for (const key of keys) {
    const block = await buildUnit(view, kind, key);
    const replaces = view.snapshot.unitAt(key.level, key.bucket, key.chunk)?.generation ?? 0;
    built.push({ ...key, upTo: view.snapshot.seq, block, replaces });
    bytes += block.bytes;
    if (built.length >= publishedAtOnce.units || bytes >= publishedAtOnce.bytes) break;
  }
  return built;
}

function unitsToBuild(
  { snapshot }: CubeView,
  kind: Kind,
  level: Level,
  slotsFrom: Day,
  options: RollUpOptions,
): UnitKey[] {
  const split = options.split === undefined ? undefined : (kind.splitIndex.get(options.split) ?? 31);
  return bucketsOf(snapshot, level, options)
    .filter((bucket) => level !== 'slot' || bucket >= slotsFrom)
    .flatMap((bucket) => {
      const stale = new Set(snapshot.newer(level, bucket).map(({ chunk }) => chunk));
      return chunksOf(snapshot, level, bucket)
        .filter((chunk) => {
          const unit = snapshot.unitAt(level, bucket, chunk);
          if (
            split !== undefined &&
            unit &&
            Math.floor(unit.splits / 2 ** split) % 2 === 0 &&
            !stale.has(chunk)
          )
            return false;
          return options.all || options.range !== undefined || !unit || stale.has(chunk);
        })
        .map((chunk) => ({ level, bucket, chunk }));
    });
}

/** The units that may need to be built: those with segments, or all in the range. */
function bucketsOf(snapshot: Snapshot, level: Level, { range, all }: RollUpOptions): Day[] {
  const { history } = snapshot;
  if (!history) return [];
  if (level === 'total') return [0];
  const unit = level === 'slot' ? 'day' : level;
  if (!range && !all) {
    const buckets = snapshot.daysWithSegments.map((day) => unitOf(unit, day).from);
    return [...new Set(buckets)];
  }
  const from = Math.max(range?.from ?? history.from, history.from);
  const to = Math.min(range?.to ?? history.to, history.to);
  const buckets = unitsWithin(unit, { from, to }).map((one) => unitOf(unit, one.from).from);
  return buckets;
}
