import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';

/** How long a caller waits for a slot. `what` names the slots in the error: "10 connections to PostgreSQL". */
export interface Patience {
  what: string;
  clock: Clock;
  ms?: number;
}

const usualPatienceMs = 30_000;

/**
 * At most `limit` slots are in use at once; callers get them first come, first served. With patience, a caller that waits
 * too long gets an error, because waiting for ever would hide a deadlock.
 */
export class Slots {
  #limit: number;
  readonly #patience: Patience | undefined;
  readonly #waiting: { count: number; start(): void }[] = [];
  #used = 0;

  constructor(limit: number, patience?: Patience) {
    this.#limit = limit;
    this.#patience = patience;
  }

  get limit(): number {
    return this.#limit;
  }

  /** A higher limit starts waiting callers at once. A lower limit takes no slot away from callers that have one. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#startWaiting();
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when `count` slots (never more than the limit) are free. The returned function gives them back. */
  async take(count = 1): Promise<() => void> {
    if (this.#waiting.length === 0 && this.#used + count <= this.#limit) this.#used += count;
    else await this.#wait(count);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#giveBack(count);
    };
  }

  async run<T>(work: () => T | Promise<T>, count = 1): Promise<T> {
    if (this.#waiting.length === 0 && this.#used + count <= this.#limit) this.#used += count;
    else await this.#wait(count);
    try {
      return await work();
    } finally {
      this.#giveBack(count);
    }
  }

  #giveBack(count: number): void {
    this.#used -= count;
    this.#startWaiting();
  }

  /** Slots count as used before their callers wake up, so no other caller can take them in between. */
  #startWaiting(): void {
    for (
      let next = this.#waiting[0];
      next && this.#used + next.count <= this.#limit;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#used += next.count;
      next.start();
    }
  }

  #wait(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#patience) {
        this.#waiting.push({ count, start: resolve });
        return;
      }
      const { what, clock, ms = usualPatienceMs } = this.#patience;
      const cancel = clock.after(ms, () => {
        this.#waiting.splice(this.#waiting.indexOf(caller), 1);
        reject(new PismakError('unavailable', `All ${what} were busy for ${ms / 1000} s. Try again later.`));
        // Callers behind it may need fewer slots.
        this.#startWaiting();
      });
      const caller = {
        count,
        start: () => {
          cancel();
          resolve();
        },
      };
      this.#waiting.push(caller);
    });
  }
}
