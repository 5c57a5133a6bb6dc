/** Lets in so many at once, in the order of arrival. */
export class Turnstile {
  readonly most: number;
  #inside = 0;
  readonly #waiting: { places: number; enter(): void }[] = [];

  constructor(most: number) {
    this.most = most;
  }

  /** `places`: for how many the work counts; at most `most`. */
  async pass<Result>(work: () => Promise<Result>, places = 1): Promise<Result> {
    if (this.#waiting.length === 0 && this.#inside + places <= this.most) this.#inside += places;
    else await new Promise<void>((enter) => this.#waiting.push({ places, enter }));
    try {
      return await work();
    } finally {
      this.#inside -= places;
      for (let next = this.#waiting[0]; next && this.#inside + next.places <= this.most; ) {
        this.#waiting.shift();
        this.#inside += next.places;
        next.enter();
        next = this.#waiting[0];
      }
    }
  }
}
