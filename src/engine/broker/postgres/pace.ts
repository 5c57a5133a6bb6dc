/** Fetching ahead is worth it for what will be started within this time; more would only be kept from others. */
const horizonMs = 100;
/** And it must fit into memory. */
const horizonBytes = 32 * 1024 * 1024;

/** How long handlers take, on average, and so how many messages may be fetched ahead for them. */
export class Pace {
  #meanMs: number | undefined;
  #meanBytes = 0;

  finished(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + (ms - this.#meanMs) * 0.2;
  }

  fetched(bytes: number): void {
    this.#meanBytes += (bytes - this.#meanBytes) * 0.2;
  }

  /** One that still runs tells that they take longer than we thought. */
  stillRunning(ms: number): void {
    this.#meanMs = Math.max(this.#meanMs ?? 0, ms);
  }

  /** None until the first has finished: it may take hours. */
  ahead(slots: number): number {
    if (this.#meanMs === undefined) return 0;
    const inTime = (slots * horizonMs) / Math.max(this.#meanMs, 0.1);
    return Math.floor(Math.min(inTime, horizonBytes / Math.max(this.#meanBytes, 1)));
  }
}
