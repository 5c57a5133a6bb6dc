/** Limits the average rate per second: the bucket fills at that rate, and holds at most one second's worth. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #most: number;
  #tokens: number;
  #at = 0;

  constructor(perSecond: number) {
    this.#perMs = perSecond / 1000;
    this.#most = Math.max(1, perSecond);
    this.#tokens = this.#most;
  }

  /** How long to wait for the next token; 0 if there is one. */
  waitMs(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  take(now: number): void {
    this.#fill(now);
    this.#tokens -= 1;
  }

  #fill(now: number): void {
    // A clock that was set back neither adds nor removes tokens.
    if (now > this.#at && this.#at > 0)
      this.#tokens = Math.min(this.#most, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
