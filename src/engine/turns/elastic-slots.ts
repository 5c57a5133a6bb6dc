import type { Clock } from '../time/clock.ts';

/** Work that has run for longer than this no longer keeps other owners waiting. */
export const patienceMs = 1000;

export interface Running {
  owner: string;
  startedAt: number;
}

/**
 * Slots in which no owner waits behind another's long work. A single owner may use all of them, for any length of time. Work that
 * has run for over a second counts only against its own owner: then others may use up to `extra` additional slots, while short work
 * never exceeds the usual number. Each owner leaves half of the extra slots to those who come after it.
 */
export class ElasticSlots {
  readonly slots: number;
  readonly extra: number;
  readonly #clock: Clock;
  /** In order of start. */
  readonly #running = new Set<Running>();
  #cancelTimer: (() => void) | undefined;
  /** Called when work has run for over a second: a message that had to wait may now start. */
  onLong = () => {};

  constructor(options: { slots: number; extra: number; clock: Clock }) {
    this.slots = options.slots;
    this.extra = options.extra;
    this.#clock = options.clock;
  }

  get running(): number {
    return this.#running.size;
  }

  get free(): number {
    return this.slots - this.#running.size;
  }

  /** Whether all usual slots are in use, and an extra one may be given to some owner. */
  get isStretched(): boolean {
    const { size } = this.#running;
    if (this.extra === 0 || size < this.slots || size >= this.slots + this.extra) return false;
    const [oldest] = this.#running;
    return oldest !== undefined && this.#isLong(oldest);
  }

  /** Whether work of this owner may start; the owner may have extra slots. */
  mayStart(owner: string, { slots, extra }: { slots: number; extra: number } = this): boolean {
    if (this.#running.size < slots) return true;
    if (extra === 0) return false;
    let held = 0;
    let counted = 0;
    for (const running of this.#running) {
      if (running.owner === owner) held++;
      if (running.owner === owner || !this.#isLong(running)) counted++;
    }
    return counted < slots && held < slots + extra - this.#running.size;
  }

  /** When only extra slots are left: the owners who may not have one. Undefined: nobody may have one. */
  get refused(): Set<string> | undefined {
    if (!this.isStretched || !this.mayStart('\0 somebody else')) return undefined;
    const owners = new Set([...this.#running].map(({ owner }) => owner));
    return new Set([...owners].filter((owner) => !this.mayStart(owner)));
  }

  /** Returns the value to pass to `end`. */
  begin(owner: string): Running {
    const running = { owner, startedAt: this.extra > 0 ? this.#clock.now() : 0 };
    this.#running.add(running);
    if (this.extra > 0) this.#watchOldest();
    return running;
  }

  end(running: Running): void {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #isLong({ startedAt }: Running): boolean {
    return this.#clock.now() - startedAt >= patienceMs;
  }

  /** One timer at a time, for the oldest work that has not run for long yet. */
  #watchOldest(): void {
    if (this.#cancelTimer) return;
    for (const running of this.#running) {
      if (this.#isLong(running)) continue;
      this.#cancelTimer = this.#clock.after(running.startedAt + patienceMs - this.#clock.now(), () => {
        this.#cancelTimer = undefined;
        this.#watchOldest();
        this.onLong();
      });
      return;
    }
  }
}
