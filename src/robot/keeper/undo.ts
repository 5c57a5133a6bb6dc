/**
 * What a transaction changed in memory, so that memory can be put back when it fails or runs again: PostgreSQL runs a transaction
 * that clashes with another once more.
 */
export class Undo {
  #steps: (() => void)[] = [];

  record(step: () => void): void {
    this.#steps.push(step);
  }

  /** Puts everything back, the latest change first. */
  rollBack(): void {
    const steps = this.#steps.reverse();
    this.#steps = [];
    for (const step of steps) step();
  }

  /** The transaction is committed. */
  keep(): void {
    this.#steps = [];
  }
}
