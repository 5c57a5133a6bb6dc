/**
 * The links that a harvester has reported already, so that the same navigation on every page costs nothing. Forgets the older half when
 * it is full: reporting a link twice is harmless.
 */
export class SeenLinks {
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = 200_000) {
    this.#capacity = capacity;
  }

  /** Whether the keeper would learn something: a new link, a shorter way, or a better page with the link. */
  isNews(url: string, depth: number, parent: number): boolean {
    const rank = depth + (1 - parent) / 2;
    const known = this.#young.get(url) ?? this.#old.get(url);
    if (known !== undefined && known <= rank) return false;
    this.#young.set(url, rank);
    if (this.#young.size > this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    return true;
  }
}
