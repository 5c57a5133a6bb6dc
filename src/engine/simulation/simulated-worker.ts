import type { WorkerSnapshot } from '../watchdog/policy.ts';
import type { Travelling } from './simulate.ts';
import type { Workload } from './workload.ts';

/** How long a worker reports that it failed to load a stage, like real workers. */
const unableMs = 60_000;

/** A worker in virtual time: it finishes its message before it switches, and keeps loaded stages. */
export class SimulatedWorker {
  readonly id: string;
  readonly #labels: readonly string[];
  readonly #unable: readonly string[];
  readonly #failedLoads = new Map<string, { times: number; until: number }>();
  readonly #coldMs: number;
  readonly #warmMs: number;
  readonly #loaded = new Set<string>();
  assigned: string | null = null;
  /** The loaded stage, even while the worker is assigned to another. */
  serving: string | null = null;
  #unlockAt = 0;
  #since = 0;
  #inHand: Travelling | undefined;
  #isSwitching = false;
  #target: string | null = null;
  workedMs = 0;
  switchedMs = 0;

  constructor(id: string, { labels, unable, loading }: Workload['workers'][number], load: Workload) {
    this.id = id;
    this.#labels = labels;
    this.#unable = unable;
    this.#coldMs = (loading ?? load.reconfiguration) * 1000;
    this.#warmMs = Math.min(this.#coldMs, (load.warm ?? load.reconfiguration) * 1000);
  }

  get isBusy(): boolean {
    return this.#isSwitching || this.#inHand !== undefined;
  }

  assign(stage: string, unlockAt: number): void {
    this.assigned = stage;
    this.#unlockAt = unlockAt;
  }

  begin(travelling: Travelling, now: number): void {
    this.#inHand = travelling;
    this.#since = now;
  }

  finish(now: number): void {
    this.#inHand = undefined;
    this.workedMs += now - this.#since;
  }

  /** Returns how long the switch takes. */
  beginSwitch(now: number): number {
    this.#isSwitching = true;
    this.#since = now;
    this.#target = this.assigned;
    return this.#target !== null && this.#loaded.has(this.#target) ? this.#warmMs : this.#coldMs;
  }

  /** Returns the stage that it failed to load. */
  endSwitch(now: number): string | undefined {
    const target = this.#target;
    this.#isSwitching = false;
    this.switchedMs += now - this.#since;
    if (target !== null && this.#unable.includes(target)) {
      this.serving = null;
      const times = (this.#failedLoads.get(target)?.times ?? 0) + 1;
      this.#failedLoads.set(target, { times, until: now + unableMs });
      return target;
    }
    this.serving = target;
    if (target !== null) this.#loaded.add(target);
    return undefined;
  }

  snapshot(now: number): WorkerSnapshot {
    const failures = [...this.#failedLoads];
    const unable = failures.filter(([, { until }]) => until > now).map(([stage]) => stage);
    return {
      id: this.id,
      labels: this.#labels,
      stage: this.assigned,
      serving: this.#isSwitching ? this.#target : (this.serving ?? this.assigned),
      loaded: [...this.#loaded],
      coldMs: this.#coldMs,
      warmMs: this.#warmMs,
      busyMs: this.#inHand ? now - this.#since : 0,
      alive: true,
      enabled: true,
      pinned: false,
      failed: !this.#isSwitching && this.assigned !== null && unable.includes(this.assigned),
      unable,
      failedLoads: Object.fromEntries(failures.map(([stage, { times }]) => [stage, times])),
      unlockAt: this.#unlockAt,
      inFlight: this.#inHand ? 1 : 0,
    };
  }
}
