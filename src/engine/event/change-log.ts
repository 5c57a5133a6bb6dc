import type { Clock } from '../time/clock.ts';
import { joinChanges } from './join-changes.ts';
import { RecentChanges } from './recent-changes.ts';

/**
 * What changed, for everyone who watches: one bounded list for the whole cluster, in one order. It feeds the server-sent events, and a
 * client that was away sends the last number it saw, to any process. A change says *what* changed; a client that wants the new state reads it.
 */
export interface Change {
  /** Grows from change to change, in the order in which everyone hears of them. Null while the list can't be reached: the change comes again with its number. */
  id: number | null;
  at: number;
  /** `stage`, `worker`, `queue`, `alert`, `schedule`, ...: the noun of the operations that read it. */
  kind: string;
  entity: string;
  /** Only this user (and administrators) may see it; undefined = everyone who may read. */
  owner?: string;
  data?: Readonly<Record<string, unknown>>;
}

export type NewChange = Omit<Change, 'id' | 'at'>;

/** The kind of a change that stands for changes that were lost: everyone must read everything again. */
export const everythingChanged = 'everything';

/** The port to the list; `testing/contract.ts` has its promises. */
export interface ChangeLog {
  /** Never waits and never throws. A process that is killed loses the changes of the last moments. */
  add(change: NewChange): void;
  /** For what changes often: at most one change of an entity in half a second. The last one is always told. */
  addJoined(change: NewChange): void;
  /** Waits until this process knows the list up to `id`, which another process may have told to a client. */
  reach(id: number): Promise<void>;
  /** The changes after `id`; undefined if the list no longer reaches back to it, so that the caller must read everything again. */
  since(id: number): Change[] | undefined;
  readonly lastId: number;
  /** A listener that throws does not affect the others. */
  subscribe(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}

/** How many changes a client can go back. */
export const keptChanges = 5_000;

/** The list of an installation that is one process: in memory. */
export function createChangeLog(clock: Clock, capacity = keptChanges): ChangeLog {
  // Numbers start from the clock, so that a client of an earlier process reads everything again.
  const recent = new RecentChanges(capacity, clock.now() * 1000);
  const add = (change: NewChange) => recent.push({ ...change, id: recent.lastId + 1, at: clock.now() });
  const joined = joinChanges(clock, add);
  return {
    add,
    addJoined: joined.add,
    reach: async () => {},
    since: (id) => recent.since(id),
    get lastId() {
      return recent.lastId;
    },
    subscribe: (listener) => recent.subscribe(listener),
    close: async () => joined.close(),
  };
}
