import { PismakError } from '../../errors.ts';
import type { Coordination, Hold, Node, Unwatch, WriteOptions } from '../coordination.ts';
import { checkParent, checkPath, checkValue } from '../path.ts';
import type { HoldLines } from './hold-lines.ts';
import type { PostgresNodeTable } from './nodes.ts';
import type { Watched, Watching } from './watching.ts';

interface Tree {
  nodes: PostgresNodeTable;
  watching: Watching;
  holds: HoldLines;
  /** Deletes the session in the table, and with it all that it has. */
  end(session: string): Promise<void>;
}

export class PostgresSession implements Coordination {
  readonly session: string;
  readonly #tree: Tree;
  readonly #lost = new AbortController();
  readonly #unwatches = new Set<Unwatch>();
  #ended: PismakError | undefined;
  #closing: Promise<void> | undefined;

  constructor(session: string, tree: Tree) {
    this.session = session;
    this.#tree = tree;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async get(path: string): Promise<Node | undefined> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.nodes.get(path);
  }

  async children(path: string): Promise<Node[]> {
    checkParent(path);
    this.#checkOpen();
    return this.#tree.nodes.children(path);
  }

  async create(path: string, value: string, options: { ephemeral?: boolean } = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    this.#checkOpen();
    return this.#tree.nodes.create(this.session, path, value, options.ephemeral ?? false);
  }

  async set(path: string, value: string, options: WriteOptions = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    this.#checkOpen();
    return this.#tree.nodes.set(this.session, path, value, options);
  }

  async delete(path: string, options: WriteOptions = {}): Promise<void> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.nodes.delete(this.session, path, options);
  }

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch {
    checkPath(path);
    return this.#watch(`node ${path}`, () => this.#tree.nodes.get(path), listener);
  }

  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch {
    checkParent(path);
    return this.#watch(`children ${path}`, () => this.#tree.nodes.children(path), listener);
  }

  async hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.holds.hold(path, this.session, identity, signal);
  }

  async holder(path: string): Promise<{ identity: string; fence: number } | undefined> {
    checkPath(path);
    this.#checkOpen();
    return this.#tree.holds.holder(path);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** It is gone in the table, or must be taken to be. */
  expired(): void {
    if (this.#ended) return;
    const reason = new PismakError('session-lost', `Session ${this.session} has expired: open a new one`);
    this.#finish(reason);
    this.#lost.abort(reason);
  }

  async #close(): Promise<void> {
    if (this.#ended) return;
    this.#finish(new PismakError('session-lost', `Session ${this.session} is closed`));
    // When the server is away, the session ends there by itself.
    await this.#tree.end(this.session).catch(() => {});
  }

  #finish(reason: PismakError): void {
    this.#ended = reason;
    for (const unwatch of this.#unwatches) unwatch();
    this.#tree.holds.drop(this.session, reason);
  }

  #watch<State>(what: Watched, read: () => Promise<State>, listener: (state: State) => void): Unwatch {
    this.#checkOpen();
    const stop = this.#tree.watching.watch(what, read, listener);
    const unwatch = () => {
      this.#unwatches.delete(unwatch);
      stop();
    };
    this.#unwatches.add(unwatch);
    return unwatch;
  }

  #checkOpen(): void {
    if (this.#ended) throw this.#ended;
  }
}
