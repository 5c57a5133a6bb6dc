import { uptime } from 'node:os';

/** The source of time. Tests and the simulator pass their own, so nothing in the engine may call Date.now(). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels it. Never keeps the process alive by itself. */
  after(ms: number, callback: () => void): () => void;
  /** Milliseconds since a fixed moment. Never jumps, and continues while the machine is suspended. */
  uptime?(): number;
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  uptime: () => uptime() * 1000,
  after(ms, callback) {
    // setTimeout overflows above 2^31-1 ms and would fire at once.
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal aborts: callers check the signal, they don't catch. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves time forward and fires due callbacks in order of time, each at its own moment. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
  }
}
