/** Owners remembered at most, besides those with messages in progress. Forgetting one only makes it go first once. */
const mostOwners = 10_000;

/**
 * Turns in which the owner with the least in progress goes first; of several, the one served longest ago. An owner with much
 * work therefore never holds up one with little.
 */
export class LeastBusyFirst {
  readonly #standings = new Map<string, Standing>();
  #turn = 0;

  next(owners: Iterable<string>): string | undefined {
    let best: { owner: string; held: number; served: number } | undefined;
    for (const owner of owners) {
      const { held, served } = this.#standings.get(owner) ?? { held: 0, served: 0 };
      if (!best || held < best.held || (held === best.held && served < best.served))
        best = { owner, held, served };
    }
    return best?.owner;
  }

  /** Returns the standing to pass to `end`. */
  begin(owner: string): Standing {
    let standing = this.#standings.get(owner);
    if (!standing) {
      if (this.#standings.size >= mostOwners) this.#forgetIdle();
      standing = { held: 0, served: 0 };
      this.#standings.set(owner, standing);
    }
    standing.held++;
    standing.served = ++this.#turn;
    return standing;
  }

  end(standing: Standing): void {
    standing.held--;
  }

  #forgetIdle(): void {
    for (const [owner, { held }] of this.#standings) if (held === 0) this.#standings.delete(owner);
  }
}

/** Where an owner stands. */
interface Standing {
  /** How much is in progress. */
  held: number;
  /** The turn in which it was last served. */
  served: number;
}
