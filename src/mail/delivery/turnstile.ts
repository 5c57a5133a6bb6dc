/** Lets in so many at once, in the order of arrival. */
export class Turnstile {
  readonly #most: number;
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside < this.#most) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one has the place of this one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }
}
