/**
 * What changed, for everyone who watches: one numbered, bounded list. It feeds the server-sent events, and a client that
 * was away sends the last number it saw. A change says *what* changed; a client that wants the new state reads it.
 */
export interface Change {
  id: number;
  at: number;
  /** `stage`, `worker`, `queue`, `alert`, `schedule`, ...: the noun of the operations that read it. */
  kind: string;
  entity: string;
  /** Only this user (and administrators) may see it; undefined = everyone who may read. */
  owner?: string;
  data?: Readonly<Record<string, unknown>>;
}

export interface ChangeLog {
  add(change: Omit<Change, 'id' | 'at'>): void;
  /** The changes after `id`; undefined if the list no longer reaches back to it, so that the caller must read everything again. */
  since(id: number): Change[] | undefined;
  readonly lastId: number;
  subscribe(listener: (change: Change) => void): () => void;
}

export function createChangeLog(clock: { now(): number }, capacity = 5_000): ChangeLog {
  let changes: Change[] = [];
  const listeners = new Set<(change: Change) => void>();
  // Numbers start from the clock, so that a client of an earlier process reads everything again.
  const firstId = clock.now() * 1000;
  let lastId = firstId;
  return {
    add(partial) {
      const change: Change = { ...partial, id: ++lastId, at: clock.now() };
      changes.push(change);
      // Trim in bulk: shifting one by one would copy the list each time.
      if (changes.length > capacity * 1.5) changes = changes.slice(-capacity);
      for (const listener of listeners) {
        try {
          listener(change);
        } catch {
          // One broken listener must not stop the others.
        }
      }
    },
    since(id) {
      if (id > lastId || id < (changes[0]?.id ?? lastId + 1) - 1) return undefined;
      return changes.filter((change) => change.id > id);
    },
    get lastId() {
      return lastId;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
