/** Lets in so many at once; a group larger than that goes alone. In the order of arrival. */
export class Turnstile {
  readonly #most: number;
  #inside = 0;
  readonly #waiting: { count: number; resolve(): void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async enter(count: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(count)) this.#inside += count;
    else await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  leave(count: number): void {
    this.#inside -= count;
    for (let next = this.#waiting[0]; next && this.#fits(next.count); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#inside += next.count;
      next.resolve();
    }
  }

  #fits(count: number): boolean {
    return this.#inside === 0 || this.#inside + count <= this.#most;
  }
}
