/** Which audit entries share a row. */
export interface Repeats {
  /** Each kind of entry has room for `mostKeys` keys in an hour. */
  pool: 'read' | 'refusal' | 'stranger';
  key: string;
  /** So many entries of the key get rows of their own in an hour; the last of them counts the rest. */
  rows: number;
  /** The key of all entries that come when the pool is full, so that nobody fills the disk by inventing keys. */
  overflow?: string;
}

const windowMs = 3_600_000;
const mostKeys = 1000;

/**
 * Remembers, for an hour, which row stands for which kind of entry. In memory and per process: after a restart, or in
 * another process, the same kind of entry gets another row.
 */
export class RepeatedEntries {
  readonly #pools = new Map<string, Map<string, { rows: number; id: string }>>();
  #since = Number.NEGATIVE_INFINITY;

  /** The id of the row that the entry belongs to: a new row if it is `newId`. */
  rowOf(repeats: Repeats, newId: string, now: number): string {
    if (now - this.#since >= windowMs || now < this.#since) {
      this.#since = now;
      this.#pools.clear();
    }
    const pool = this.#pools.get(repeats.pool) ?? new Map<string, { rows: number; id: string }>();
    this.#pools.set(repeats.pool, pool);
    const isFull = !pool.has(repeats.key) && pool.size >= mostKeys;
    const key = isFull ? repeats.overflow : repeats.key;
    // Without an overflow key every entry counts: it gets a row.
    if (key === undefined) return newId;
    const known = pool.get(key);
    if (known && known.rows >= repeats.rows) return known.id;
    pool.set(key, { rows: (known?.rows ?? 0) + 1, id: newId });
    return newId;
  }
}
