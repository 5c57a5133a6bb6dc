/** Above this mean time, a message should not wait here: another consumer could take it. */
const longMs = 500;
const enough = 10;

/** Measures how long the handlers of a queue take, to decide how to fetch its messages. */
export class AdaptivePrefetch {
  #count = 0;
  #meanMs = 0;

  add(ms: number): void {
    this.#count++;
    this.#meanMs += (ms - this.#meanMs) / Math.min(this.#count, 2 * enough);
  }

  /** False until known, so messages are taken one by one. */
  get isQuick(): boolean {
    return this.#count >= enough && this.#meanMs < longMs;
  }

  /** How many messages to hold, including running ones: enough for 100 ms of work, or for one round. */
  ahead(concurrency: number): number {
    const work = Math.ceil((concurrency * 100) / Math.max(1, this.#meanMs));
    return concurrency + Math.min(Math.max(concurrency, work), Math.max(concurrency, 100));
  }
}
