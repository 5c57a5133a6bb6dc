import type { WorkerPresence } from '../worker/worker-record.ts';
import type { Sample } from './sample.ts';

const windowMs = 60_000;
/** A worker that lost its session comes back with the same counts. */
const rememberedMs = 3_600_000;

type Counts = Record<string, { count: number; totalMs: number }>;

/**
 * How many messages of each stage all workers of the cluster finish. Workers report totals since their start with their heartbeats, so
 * only the differences count, and no message counts twice.
 */
export class StageRates {
  readonly #reports = new Map<
    string,
    { startedAt: number; timings: WorkerPresence['timings']; at: number }
  >();
  #rounds: { at: number; counts: Counts }[] = [];
  #since: number | undefined;

  /** What was finished since the last call. Nothing at the first: who knows when that was. */
  add(presences: readonly WorkerPresence[], at: number): Counts {
    const isFirst = this.#since === undefined;
    this.#since ??= at;
    const counts: Counts = {};
    for (const { id, startedAt, timings } of presences) {
      const last = this.#reports.get(id);
      const before = last?.startedAt === startedAt ? last.timings : {};
      this.#reports.set(id, { startedAt, timings, at });
      if (isFirst) continue;
      for (const [stage, { count, meanMs }] of Object.entries(timings)) {
        const known = before[stage] ?? { count: 0, meanMs: 0 };
        if (count <= known.count) continue;
        counts[stage] ??= { count: 0, totalMs: 0 };
        const sum = counts[stage];
        sum.count += count - known.count;
        sum.totalMs += Math.max(0, count * meanMs - known.count * known.meanMs);
      }
    }
    for (const [id, report] of this.#reports) if (at - report.at > rememberedMs) this.#reports.delete(id);
    this.#rounds.push({ at, counts });
    this.#rounds = this.#rounds.filter((round) => round.at > at - windowMs && round.at <= at);
    return counts;
  }

  /** Of the last minute, or of the time since the first report, extrapolated. */
  perMinute(at: number): Sample['rates'] {
    const sums: Counts = {};
    for (const { counts } of this.#rounds)
      for (const [stage, { count, totalMs }] of Object.entries(counts)) {
        sums[stage] ??= { count: 0, totalMs: 0 };
        sums[stage].count += count;
        sums[stage].totalMs += totalMs;
      }
    const ms = Math.min(windowMs, Math.max(1_000, at - (this.#since ?? at)));
    return Object.fromEntries(
      Object.entries(sums).map(([stage, { count, totalMs }]) => [
        stage,
        { perMinute: Math.round((count * windowMs) / ms), meanMs: Math.round(totalMs / count) },
      ]),
    );
  }
}
