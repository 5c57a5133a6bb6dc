/**
 * The port to the small shared tree: who is alive, who does what, who leads. An object of this type is one *session*;
 * every worker and service has its own. Every adapter promises (and `contract.ts` tests):
 *
 * - Nodes are versioned; writes may be conditional on the version (compare and set).
 * - Ephemeral nodes and holds vanish with their session, at the latest when it expires.
 * - A watch calls back with the current state at once, and then after changes. It may skip states, but never the last.
 * - A hold (lock, leadership) has at most one holder, and a fence that grows with each holder. Writes under a lost hold
 *   are refused, however late they arrive.
 *
 * Paths look like `/workers/w1`; parents need not exist. A value is text of at most 512 KB; larger data belongs in blobs.
 */
export interface Coordination {
  /** Unique name of this session. */
  readonly session: string;
  /** Aborts when the session expires. Its ephemeral nodes and holds are then gone, and it can't be used any more. */
  readonly lost: AbortSignal;

  get(path: string): Promise<Node | undefined>;
  /** Direct children with their values, sorted by name. */
  children(path: string): Promise<Node[]>;
  /** Fails with `node-exists` if the node exists. An ephemeral node ends with this session. */
  create(path: string, value: string, options?: { ephemeral?: boolean }): Promise<Node>;
  /** Creates or replaces. With `version`, only if the node has it (else `node-changed`); with `under`, only while held. */
  set(path: string, value: string, options?: WriteOptions): Promise<Node>;
  /** Succeeds if the node does not exist, unless a version is given. Children stay. */
  delete(path: string, options?: WriteOptions): Promise<void>;

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch;
  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch;

  /** Waits for its turn to hold `path`, first come, first served. An aborted signal stops waiting and rejects. */
  hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold>;
  holder(path: string): Promise<{ identity: string; fence: number } | undefined>;

  close(): Promise<void>;
}

export interface Node {
  path: string;
  /** The last part of the path. */
  name: string;
  value: string;
  /** Grows with every write. It may start again if the node is deleted and recreated. */
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
