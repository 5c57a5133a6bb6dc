import type { WorkerSnapshot } from '../watchdog/policy.ts';
import type { Travelling } from './simulate.ts';
import type { Workload } from './workload.ts';

/** A worker in virtual time: it finishes its message before it switches, and keeps loaded stages. */
export class SimulatedWorker {
  readonly id: string;
  readonly #labels: readonly string[];
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

  constructor(id: string, labels: readonly string[], load: Workload) {
    this.id = id;
    this.#labels = labels;
    this.#coldMs = load.reconfiguration * 1000;
    this.#warmMs = (load.warm ?? load.reconfiguration) * 1000;
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

  endSwitch(now: number): void {
    this.#isSwitching = false;
    this.switchedMs += now - this.#since;
    this.serving = this.#target;
    if (this.#target !== null) this.#loaded.add(this.#target);
  }

  snapshot(now: number): WorkerSnapshot {
    return {
      id: this.id,
      labels: this.#labels,
      stage: this.assigned,
      serving: this.#isSwitching ? this.#target : this.serving,
      loaded: [...this.#loaded],
      coldMs: this.#coldMs,
      warmMs: this.#warmMs,
      busyMs: this.#inHand ? now - this.#since : 0,
      alive: true,
      enabled: true,
      pinned: false,
      failed: false,
      unlockAt: this.#unlockAt,
      inFlight: this.#inHand ? 1 : 0,
    };
  }
}
