/** Above this mean time a message that waits in our hands would better be in another's. */
const longMs = 500;
const enough = 10;

/** How long the handlers of a queue take, and so how its messages are to be fetched. */
export class Pace {
  #count = 0;
  #meanMs = 0;

  add(ms: number): void {
    this.#count++;
    this.#meanMs += (ms - this.#meanMs) / Math.min(this.#count, 2 * enough);
  }

  /** Until it is known, messages are taken one by one. */
  get isQuick(): boolean {
    return this.#count >= enough && this.#meanMs < longMs;
  }

  /** Messages to hold for so many handlers, running ones included: enough for 100 ms of work, or for one round. */
  ahead(concurrency: number): number {
    const work = Math.ceil((concurrency * 100) / Math.max(1, this.#meanMs));
    return concurrency + Math.min(Math.max(concurrency, work), Math.max(concurrency, 100));
  }
}
