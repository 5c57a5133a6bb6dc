/**
 * Records what a transaction changes in memory, so that memory can be restored if the transaction fails or is repeated: on PostgreSQL,
 * a transaction that conflicts with another runs once more.
 */
export class Undo {
  #steps: (() => void)[] = [];

  record(step: () => void): void {
    this.#steps.push(step);
  }

  /** Undoes everything, the latest change first. */
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
