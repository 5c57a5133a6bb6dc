import { z } from 'zod';
import type { WorkerPresence } from '../worker/worker-record.ts';

/** How long a message of each stage takes and where it goes next, merged from the counts of all workers. */
export const averages = z.record(
  z.string(),
  z.object({
    count: z.number(),
    meanMs: z.number(),
    /** How many of `count` went on to each stage. */
    next: z.record(z.string(), z.number()).optional(),
  }),
);
export type Averages = z.infer<typeof averages>;

/** Maximum weight of older messages: an average must follow when a stage gets slower or faster. */
const memory = 1000;

/**
 * Merges heartbeats. Workers report totals since their start, so only the difference from the previous report counts: each
 * message is counted once, however often its worker reports it.
 */
export class AverageKeeper {
  #averages: Averages;
  /** The last report of each worker, with its start time: a restarted worker counts from zero. */
  readonly #reports = new Map<string, WorkerPresence>();

  constructor(known: Averages | undefined, presences: readonly WorkerPresence[] = []) {
    this.#averages = { ...known };
    // The previous leader, if any, has counted the workers that were already running.
    if (known) for (const presence of presences) this.#reports.set(presence.id, presence);
  }

  get averages(): Averages {
    return this.#averages;
  }

  /** Returns whether anything was new. */
  add(presences: readonly WorkerPresence[]): boolean {
    let news = false;
    for (const presence of presences) {
      const last = this.#reports.get(presence.id);
      const before = last?.startedAt === presence.startedAt ? last.timings : {};
      for (const [stage, timing] of Object.entries(presence.timings)) {
        const known = before[stage] ?? { count: 0, meanMs: 0, next: {} };
        const count = timing.count - known.count;
        if (count <= 0) continue;
        const totalMs = timing.count * timing.meanMs - known.count * known.meanMs;
        this.#averages = {
          ...this.#averages,
          [stage]: merge(
            this.#averages[stage],
            count,
            Math.max(0, totalMs),
            (next) => Math.max(0, (timing.next?.[next] ?? 0) - (known.next?.[next] ?? 0)),
            Object.keys(timing.next ?? {}),
          ),
        };
        news = true;
      }
      this.#reports.set(presence.id, presence);
    }
    const living = new Set(presences.map((presence) => presence.id));
    for (const id of this.#reports.keys()) if (!living.has(id)) this.#reports.delete(id);
    return news;
  }

  /** Forgets stages that no longer exist. */
  keepOnly(stages: ReadonlySet<string>): void {
    this.#averages = Object.fromEntries(
      Object.entries(this.#averages).filter(([stage]) => stages.has(stage)),
    );
  }
}

function merge(
  old: Averages[string] | undefined,
  count: number,
  totalMs: number,
  wentOn: (next: string) => number,
  targets: readonly string[],
): Averages[string] {
  const weight = Math.min(old?.count ?? 0, memory);
  const kept = old ? weight / Math.max(1, old.count) : 0;
  const next: Record<string, number> = {};
  for (const name of new Set([...Object.keys(old?.next ?? {}), ...targets])) {
    const went = (old?.next?.[name] ?? 0) * kept + wentOn(name);
    // Forget transitions that happened once, long ago.
    if (went >= 0.01) next[name] = went;
  }
  const meanMs = ((old?.meanMs ?? 0) * weight + totalMs) / (weight + count);
  return { count: weight + count, meanMs, ...(Object.keys(next).length > 0 ? { next } : {}) };
}
