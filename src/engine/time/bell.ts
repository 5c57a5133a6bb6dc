import { type Clock, sleep } from './clock.ts';

/** Wakes a loop early. A ring without a waiter wakes the next one. */
export class Bell {
  #rung = false;
  #wake = () => {};

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Resolves when it rings, after `ms`, or when the signal aborts. For one loop, not for several. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const rung = new AbortController();
    // A reason of our own: by default each ring would make an error with a stack.
    this.#wake = () => rung.abort('rung');
    if (!this.#rung) await sleep(clock, ms, AbortSignal.any([signal, rung.signal]));
    this.#wake = () => {};
    this.#rung = false;
  }
}
