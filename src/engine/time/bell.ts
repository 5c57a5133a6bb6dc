import { type Clock, sleep } from './clock.ts';

/** Wakes a loop before its time. A ring that nobody was waiting for is heard by the next who waits. */
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
    this.#wake = () => rung.abort();
    if (!this.#rung) await sleep(clock, ms, AbortSignal.any([signal, rung.signal]));
    this.#wake = () => {};
    this.#rung = false;
  }
}
