/** Which audit entries share a row. */
export interface Repeats {
  /** Each pool has room for `mostKeys` keys per hour. */
  pool: 'read' | 'refusal' | 'stranger';
  key: string;
  /** Entries of the key per hour that get their own rows; the last row counts the rest. */
  rows: number;
  /** The shared key of all entries that arrive when the pool is full, so that nobody fills the disk by inventing keys. */
  overflow?: string;
}

const windowMs = 3_600_000;
const mostKeys = 1000;

/**
 * Remembers, for an hour, which row stands for which kind of entry. In memory and per process: after a restart or in
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
    // Without an overflow key, every entry counts and gets a row.
    if (key === undefined) return newId;
    const known = pool.get(key);
    if (known && known.rows >= repeats.rows) return known.id;
    pool.set(key, { rows: (known?.rows ?? 0) + 1, id: newId });
    return newId;
  }
}
