/**
 * Turns in which each owner gets, over time, the share that its weight gives it, whatever amount the others have. Each owner has a
 * mark on one scale, and each turn advances it by 1 / weight; the next turn goes to the owner whose mark would then be lowest. A new
 * owner starts at the lowest mark, so no owner saves up turns by staying away.
 */
export class WeightedTurns {
  #marks = new Map<string, number>();

  /** Plans `count` turns. A turn is not used until it is charged. */
  plan(owners: readonly Owner[], count: number): string[] {
    this.#settle(owners);
    const candidates = owners
      .map(({ name, weight }) => ({ name, weight, next: (this.#marks.get(name) ?? 0) + 1 / weight }))
      .sort((a, b) => a.next - b.next)
      // `count` turns involve at most `count` owners.
      .slice(0, count);
    const turns: string[] = [];
    while (candidates.length > 0 && turns.length < count) {
      const lowest = candidates.reduce((best, other) => (other.next < best.next ? other : best));
      turns.push(lowest.name);
      lowest.next += 1 / lowest.weight;
    }
    return turns;
  }

  charge({ name, weight }: Owner, turns: number): void {
    this.#marks.set(name, (this.#marks.get(name) ?? 0) + turns / weight);
  }

  /** Makes marks relative to the lowest waiting owner, and forgets absent owners that owe nothing. */
  #settle(owners: readonly Owner[]): void {
    const waiting = new Set(owners.map(({ name }) => name));
    const known = [...waiting].map((name) => this.#marks.get(name)).filter((mark) => mark !== undefined);
    if (known.length === 0) return;
    const lowest = known.reduce((a, b) => Math.min(a, b));
    const settled = [...this.#marks].map(([name, mark]): [string, number] => [name, mark - lowest]);
    this.#marks = new Map(settled.filter(([name, mark]) => mark > 0 || waiting.has(name)));
  }
}

export interface Owner {
  name: string;
  /** The owner's share: twice the weight, twice the turns. */
  weight: number;
}
