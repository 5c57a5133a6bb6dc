/**
 * Fetch ahead only what will be started within this time; more would only be withheld from other processes. Where a claim
 * takes long (a busy or distant server), the horizon is four claims: half of what is ahead is fetched while the other half
 * is handled, and a claim may have to wait for the round before it. With 100 ms alone, four processes on two overloaded
 * cores had nothing ahead for 10 % of the time; with this, and fewer claims, for 5 %.
 */
const horizonMs = { least: 100, most: 500 };
const claimsAhead = 4;
/** And it must fit into memory. */
const horizonBytes = 32 * 1024 * 1024;

/** How long handlers take, on average, and so how many messages may be fetched ahead for them. */
export class AdaptivePrefetch {
  #meanMs: number | undefined;
  #meanBytes = 0;
  #claimMs = 0;

  finished(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + (ms - this.#meanMs) * 0.2;
  }

  fetched(bytes: number): void {
    this.#meanBytes += (bytes - this.#meanBytes) * 0.2;
  }

  /** How long the server took to answer a claim. */
  claimed(ms: number): void {
    this.#claimMs += (ms - this.#claimMs) * 0.2;
  }

  /** A handler that is still running shows that handlers take longer than we thought. */
  stillRunning(ms: number): void {
    this.#meanMs = Math.max(this.#meanMs ?? 0, ms);
  }

  /** Nothing is fetched ahead until the first handler has finished: it may take hours. */
  ahead(slots: number): number {
    if (this.#meanMs === undefined) return 0;
    const horizon = Math.min(horizonMs.most, Math.max(horizonMs.least, claimsAhead * this.#claimMs));
    const inTime = (slots * horizon) / Math.max(this.#meanMs, 0.1);
    return Math.floor(Math.min(inTime, horizonBytes / Math.max(this.#meanBytes, 1)));
  }
}
