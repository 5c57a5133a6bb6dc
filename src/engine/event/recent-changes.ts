import type { Change } from './change-log.ts';

type Numbered = Change & { id: number };

/** The end of the list that a process has in memory, and those who listen to it there. */
export class RecentChanges {
  readonly #capacity: number;
  readonly #listeners = new Set<(change: Change) => void>();
  #changes: Numbered[] = [];
  /** Every change after this number is in memory. */
  #completeAfter: number;
  #lastId: number;

  constructor(capacity: number, lastId: number) {
    this.#capacity = capacity;
    this.#completeAfter = lastId;
    this.#lastId = lastId;
  }

  get lastId(): number {
    return this.#lastId;
  }

  push(change: Numbered): void {
    // The first of all: nobody can have seen a number of this list before.
    if (this.#lastId === 0) this.#completeAfter = change.id - 1;
    this.#lastId = change.id;
    this.#changes.push(change);
    // Trim in bulk: shifting one by one would copy the list each time.
    if (this.#changes.length > this.#capacity * 1.5) {
      const gone = this.#changes.length - this.#capacity;
      this.#completeAfter = this.#changes[gone - 1]?.id ?? this.#completeAfter;
      this.#changes = this.#changes.slice(gone);
    }
    this.tell(change);
  }

  /** Nothing up to this change can be told again: who has not seen it must read everything. */
  startAfter(change: Numbered): void {
    this.#changes = [];
    this.#completeAfter = change.id;
    this.#lastId = change.id;
    this.tell(change);
  }

  /** Tells those who listen, without a place in the list. */
  tell(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // One broken listener must not stop the others.
      }
    }
  }

  since(id: number): Change[] | undefined {
    if (id > this.#lastId || id < this.#completeAfter) return undefined;
    return this.#changes.filter((change) => change.id > id);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
