import { setImmediate } from 'node:timers/promises';

/** A long computation calls `next` every few thousand steps: it gives way to others, and ends when its caller is gone or its time is up. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  readonly #turnMs: number;
  #began = performance.now();

  /** `turnMs` is the time after which others get a turn; longer turns get more processor time. */
  constructor(signal?: AbortSignal, turnMs = 8) {
    this.#signal = signal;
    this.#turnMs = turnMs;
  }

  async next(): Promise<void> {
    this.#signal?.throwIfAborted();
    if (performance.now() - this.#began < this.#turnMs) return;
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}
