/** Rates of a counter that is looked at once a second. */
export interface Rates {
  mean: number;
  median: number;
  peak: number;
}

export class RateWatch {
  readonly #looks: { at: number; count: number }[] = [];

  look(count: number): void {
    // What has come to its end must not seem slower the longer it is looked at.
    if (count > 0 && count === this.#end.count) return;
    const at = performance.now();
    const last = this.#looks.at(-1);
    if (!last || at - last.at >= 1000 || (count !== last.count && this.#looks.length < 2))
      this.#looks.push({ at, count });
    this.#end = { at, count };
  }
  #end = { at: 0, count: 0 };

  /** From the moment before the first to the moment of the last. */
  rates(): Rates {
    const looks = [...this.#looks, this.#end];
    const perSecond: number[] = [];
    for (const [index, look] of looks.entries()) {
      const before = looks[index - 1];
      if (before && look.at - before.at > 500)
        perSecond.push(((look.count - before.count) / (look.at - before.at)) * 1000);
    }
    const [first] = looks;
    const last = this.#end;
    const mean = first ? ((last.count - first.count) / Math.max(1, last.at - first.at)) * 1000 : 0;
    perSecond.sort((a, b) => a - b);
    return {
      mean: Math.round(mean),
      median: Math.round(perSecond[Math.floor(perSecond.length / 2)] ?? mean),
      peak: Math.round(Math.max(mean, perSecond.at(-1) ?? 0)),
    };
  }
}
