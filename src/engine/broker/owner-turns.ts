/** The header that names the owner of a message: the user whose work it is. Foreign producers may leave it out. */
export const ownerHeader = 'pismak-owner';

/** Whose message it is; '' if it doesn't say. Messages without an owner share one turn. */
export function ownerOf({ headers }: { headers: Readonly<Record<string, string>> }): string {
  return headers[ownerHeader] ?? '';
}

/** Owners remembered at most. Forgetting one only makes it go first once. */
const mostOwners = 10_000;

/** Whose turn it is in one queue: the owner with the fewest messages in progress; of several, the one served longest ago. */
export class OwnerTurns {
  readonly #held = new Map<string, number>();
  readonly #served = new Map<string, number>();
  #turn = 0;

  next(owners: Iterable<string>): string | undefined {
    let best: { owner: string; held: number; served: number } | undefined;
    for (const owner of owners) {
      const held = this.#held.get(owner) ?? 0;
      const served = this.#served.get(owner) ?? 0;
      if (!best || held < best.held || (held === best.held && served < best.served))
        best = { owner, held, served };
    }
    return best?.owner;
  }

  begin(owner: string): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    if (this.#served.size >= mostOwners) this.#served.clear();
    this.#served.set(owner, ++this.#turn);
  }

  end(owner: string): void {
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
