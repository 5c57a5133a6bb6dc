import { type Clock, sleep } from './clock.ts';

/** Wakes a loop early. If the loop is not waiting, its next wait ends at once. */
export class WakeUp {
  #woken = false;
  #stopWaiting = () => {};

  wake(): void {
    this.#woken = true;
    this.#stopWaiting();
  }

  /** Resolves on `wake`, after `ms`, or when the signal aborts. For one loop, not for several. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    // Pass our own reason: by default, each abort would create an error with a stack.
    this.#stopWaiting = () => woken.abort('woken');
    if (!this.#woken) await sleep(clock, ms, AbortSignal.any([signal, woken.signal]));
    this.#stopWaiting = () => {};
    this.#woken = false;
  }
}
