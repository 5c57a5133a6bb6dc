/** The header that names the owner of a message: the user whose work it is. Foreign producers may leave it out. */
export const ownerHeader = 'pismak-owner';

/** Whose message it is; '' if it doesn't say. Messages without an owner share one turn. */
export function ownerOf({ headers }: { headers: Readonly<Record<string, string>> }): string {
  return headers[ownerHeader] ?? '';
}

/** Owners remembered at most, besides those with messages in progress. Forgetting one only makes it go first once. */
const mostOwners = 10_000;

/** Where an owner stands in one queue. */
interface Standing {
  /** Messages in progress. */
  held: number;
  /** The turn in which it was last served. */
  served: number;
}

/** Whose turn it is in one queue: the owner with the fewest messages in progress; of several, the one served longest ago. */
export class OwnerTurns {
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
