import type { PismakError } from '../ground/errors.ts';
import type { Coordination, Hold, Node, Unwatch, WriteOptions } from './coordination.ts';
import { sessionClosed, sessionExpired } from './errors.ts';
import { checkParent, checkPath, checkValue } from './path.ts';

/** The tree that an adapter gives to one session. It gets only valid paths, and only while the session is open. */
export interface SessionTree
  extends Pick<Coordination, 'get' | 'children' | 'watch' | 'watchChildren' | 'hold' | 'holder'> {
  create(path: string, value: string, ephemeral: boolean): Promise<Node>;
  set(path: string, value: string, options: WriteOptions): Promise<Node>;
  delete(path: string, options: WriteOptions): Promise<void>;
  /** The session is closed or expired: its holds are lost, and those it waits for are refused with this reason. */
  drop(reason: PismakError): void | Promise<void>;
  /** Ends a closed session at the server too. */
  leave(): Promise<void>;
}

/**
 * The life cycle of a session, the same for every adapter:
 *
 * - *open*: everything is allowed;
 * - *closed* by `close`: its watches stop, its holds and ephemeral nodes end, at the server too;
 * - *expired* by `expire`, because the server ended it or may have: the same, and `lost` aborts.
 *
 * Whichever comes first counts. Every later call fails with `session-lost`.
 */
export class TreeSession implements Coordination {
  readonly session: string;
  readonly #tree: SessionTree;
  readonly #lost = new AbortController();
  readonly #unwatches = new Set<Unwatch>();
  #over: PismakError | undefined;
  #ending: Promise<void> | undefined;

  constructor(session: string, tree: SessionTree) {
    this.session = session;
    this.#tree = tree;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async get(path: string): Promise<Node | undefined> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.get(path);
  }

  async children(path: string): Promise<Node[]> {
    checkParent(path);
    this.#checkOpen();
    return this.#tree.children(path);
  }

  async create(path: string, value: string, options: { ephemeral?: boolean } = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    this.#checkOpen();
    return this.#tree.create(path, value, options.ephemeral ?? false);
  }

  async set(path: string, value: string, options: WriteOptions = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    this.#checkOpen();
    return this.#tree.set(path, value, options);
  }

  async delete(path: string, options: WriteOptions = {}): Promise<void> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.delete(path, options);
  }

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch {
    checkPath(path);
    this.#checkOpen();
    return this.#keepWatch(this.#tree.watch(path, listener));
  }

  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch {
    checkParent(path);
    this.#checkOpen();
    return this.#keepWatch(this.#tree.watchChildren(path, listener));
  }

  async hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.hold(path, identity, signal);
  }

  async holder(path: string): Promise<{ identity: string; fence: number } | undefined> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.holder(path);
  }

  close(): Promise<void> {
    this.#ending ??= this.#end(sessionClosed(this.session)).then(() => this.#tree.leave());
    return this.#ending;
  }

  /** The session is gone at the server, or must be assumed gone. */
  expire(reason = sessionExpired(this.session)): Promise<void> {
    this.#ending ??= this.#end(reason).then(() => this.#lost.abort(reason));
    return this.#ending;
  }

  async #end(reason: PismakError): Promise<void> {
    this.#over = reason;
    for (const unwatch of this.#unwatches) unwatch();
    await this.#tree.drop(reason);
  }

  #checkOpen(): void {
    if (this.#over) throw this.#over;
  }

  #keepWatch(stop: Unwatch): Unwatch {
    const unwatch = () => {
      this.#unwatches.delete(unwatch);
      stop();
    };
    this.#unwatches.add(unwatch);
    return unwatch;
  }
}
