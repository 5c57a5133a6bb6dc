import { unitOf } from '../calendar/days.ts';
import type { Snapshot } from '../cube/snapshot.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { SegmentMeta, UnitMeta } from '../store/store.ts';

export interface Swept {
  segments: number;
  /** Days whose slots were dropped. */
  sealed: number;
  /** Units whose rows were dropped because others have replaced them. */
  replaced: number;
  batches: number;
}

const cubesAtOnce = 100;
/** Rows of replaced units that a cube may have until the night. */
const replacedRows = 2_000_000;

/**
 * Deletes segments that all units contain. With `seal` it also deletes slots of days that no longer take late events, and tokens of
 * batches whose events would be refused as too old; that reads everything, so it runs at night. Missed roll-ups only delay it.
 */
export async function sweep(
  statistics: Statistics,
  { seal: mayEnd = false, signal }: { seal?: boolean; signal?: AbortSignal } = {},
): Promise<Swept> {
  const { store, reader, database, clock, days, keptMs } = statistics;
  const swept: Swept = { segments: 0, sealed: 0, replaced: 0, batches: 0 };
  const sealBefore = days.dayAt(clock.now() - keptMs);
  let isUnsealed = false;
  for (let afterId = 0; ; ) {
    const page = await store.cubes({ afterId, limit: cubesAtOnce, withSegments: !mayEnd });
    for (const { id, kind, user } of page) {
      signal?.throwIfAborted();
      await reader.view(kind, user, async (view) => {
        if (!view) return;
        const { snapshot } = view;
        const old = [...snapshot.units()].filter(
          ({ level, bucket, sealed }) => level === 'day' && bucket < sealBefore && !sealed,
        );
        const seal = mayEnd ? old.filter((unit) => maySeal(snapshot, unit)) : [];
        const segments = containedSegments(snapshot);
        await store.prune(id, { segments, seal });
        isUnsealed ||= seal.length < old.length || snapshot.daysWithSegments.some((day) => day < sealBefore);
        swept.segments += segments.length;
        swept.sealed += seal.length;
      });
    }
    afterId = page.at(-1)?.id ?? 0;
    if (page.length < cubesAtOnce) break;
  }
  swept.replaced = await store.dropReplaced({ leastRows: mayEnd ? 1 : replacedRows, signal });
  // A token may be forgotten only when its events would be refused: when all old days are sealed.
  if (!mayEnd || isUnsealed) return swept;
  const { numDeletedRows } = await database.query
    .deleteFrom('statistics_batch')
    // A day more than events are taken for: by then every day of the batch is sealed.
    .where('receivedAt', '<', clock.now() - keptMs - 2 * 86_400_000)
    .executeTakeFirst();
  return { ...swept, batches: Number(numDeletedRows) };
}

/** A day that contains everything of itself can become the finest record. */
function maySeal(snapshot: Snapshot, { bucket, chunk, upTo }: UnitMeta): boolean {
  if (snapshot.newer('day', bucket).some((segment) => segment.chunk === chunk)) return false;
  return upTo >= (snapshot.unitAt('slot', bucket, chunk)?.upTo ?? 0);
}

/** Segments that the unit of every level contains; of the finest record, too. */
function containedSegments(snapshot: Snapshot): SegmentMeta[] {
  return snapshot.daysWithSegments.flatMap((day) => {
    const week = unitOf('week', day).from;
    const month = unitOf('month', day).from;
    return snapshot.segmentsOf(day).filter(({ seq, chunk }) => {
      const ofDay = snapshot.unitAt('day', day, chunk);
      const finest = ofDay?.sealed ? ofDay : snapshot.unitAt('slot', day, chunk);
      const units = [
        finest,
        ofDay,
        snapshot.unitAt('week', week, chunk),
        snapshot.unitAt('month', month, chunk),
        snapshot.unitAt('total', 0, chunk),
      ];
      return units.every((unit) => unit !== undefined && unit.upTo >= seq);
    });
  });
}
