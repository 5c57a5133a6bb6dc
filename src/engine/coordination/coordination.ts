/**
 * The port to the small shared tree: who is alive, who does what, who leads. An object of this type is one *session*;
 * every worker and service has its own. What every adapter promises (and `contract.ts` tests):
 *
 * - Nodes are versioned; writes may be conditional on the version (compare and set).
 * - Ephemeral nodes and holds vanish with their session, at the latest when it has expired.
 * - A watch calls back with the present state at once and then after changes; steps may be skipped, the last never.
 * - A hold (lock, leadership) has at most one holder, and a fence that grows with each; writes made under a hold
 *   that was lost are refused, however late they arrive.
 *
 * Paths look like `/workers/w1`; parents need not exist. A value is text, at most 512 KB: big things go to Blobs.
 */
export interface Coordination {
  /** Name of this session, unique. */
  readonly session: string;
  /** Aborts when the session has expired: its ephemeral nodes and holds are gone, and it can't be used any more. */
  readonly lost: AbortSignal;

  get(path: string): Promise<Node | undefined>;
  /** Direct children with their values, by name. */
  children(path: string): Promise<Node[]>;
  /** `node-exists` when it is there. An ephemeral node ends with this session. */
  create(path: string, value: string, options?: { ephemeral?: boolean }): Promise<Node>;
  /** Creates or replaces. With `version`, only if the node has it (`node-changed`); with `under`, only while held. */
  set(path: string, value: string, options?: WriteOptions): Promise<Node>;
  /** No error when it is not there, unless a version is given. Children stay. */
  delete(path: string, options?: WriteOptions): Promise<void>;

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch;
  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch;

  /** Waits for its turn to hold `path`, in the order of asking. An aborted signal stops waiting and rejects. */
  hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold>;
  holder(path: string): Promise<{ identity: string; fence: number } | undefined>;

  close(): Promise<void>;
}

export interface Node {
  path: string;
  /** The last part of the path. */
  name: string;
  value: string;
  /** Grows with every write; a node that was deleted and created again may start anew. */
  version: number;
  ephemeral: boolean;
}

export interface WriteOptions {
  version?: number;
  under?: Hold;
}

export interface Hold {
  readonly path: string;
  readonly identity: string;
  /** Greater than the fence of every earlier holder of this path. */
  readonly fence: number;
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export type Unwatch = () => void;
