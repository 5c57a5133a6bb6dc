/** Maximum number of remembered owners, besides those with messages in progress. A forgotten owner only goes first once. */
const mostOwners = 10_000;

/**
 * Turns in which the owner with the least work in progress goes first; among equals, the one served longest ago. An owner with much
 * work therefore never holds up an owner with little.
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

/** The standing of an owner. */
interface Standing {
  /** The amount of work in progress. */
  held: number;
  /** The turn in which it was last served. */
  served: number;
}
