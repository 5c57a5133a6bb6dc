/**
 * What changed, for everybody who watches: one numbered, bounded list. The server-sent events are fed by it, and a
 * client that was away says the last number it saw. A change says *what* changed; who wants the state reads it.
 */
export interface Change {
  id: number;
  at: number;
  /** `stage`, `worker`, `queue`, `alert`, `schedule`, ...: the noun of the operations that read it. */
  kind: string;
  entity: string;
  /** Only this user (and administrators) may hear of it; undefined = everybody who may read. */
  owner?: string;
  data?: Readonly<Record<string, unknown>>;
}

export interface ChangeLog {
  add(change: Omit<Change, 'id' | 'at'>): void;
  /** What came after `id`, or undefined when that is further back than the list reaches: read everything anew. */
  since(id: number): Change[] | undefined;
  readonly lastId: number;
  subscribe(listener: (change: Change) => void): () => void;
}

export function createChangeLog(clock: { now(): number }, capacity = 5_000): ChangeLog {
  let changes: Change[] = [];
  const listeners = new Set<(change: Change) => void>();
  // Numbers go on from the clock, so that a client of an earlier process is told to read everything anew.
  const firstId = clock.now() * 1000;
  let lastId = firstId;
  return {
    add(partial) {
      const change: Change = { ...partial, id: ++lastId, at: clock.now() };
      changes.push(change);
      // Trimmed in lumps: shifting one by one would cost the length of the list each time.
      if (changes.length > capacity * 1.5) changes = changes.slice(-capacity);
      for (const listener of listeners) {
        try {
          listener(change);
        } catch {
          // One broken listener must not keep the news from the others.
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
