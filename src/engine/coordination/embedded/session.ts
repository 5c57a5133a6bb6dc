import type { Mutex } from '../../database/sqlite/mutex.ts';
import { PismakError } from '../../errors.ts';
import type { Coordination, Hold, Node, Unwatch, WriteOptions } from '../coordination.ts';
import { checkParent, checkPath, checkValue } from '../path.ts';
import type { HoldLines } from './hold-lines.ts';
import type { NodeTree } from './node-tree.ts';

interface Tree {
  /** Everything that changes the tree takes a turn, so that a check and the write that relies on it are one. */
  turns: Mutex;
  nodes: NodeTree;
  holds: HoldLines;
}

export class EmbeddedSession implements Coordination {
  readonly session: string;
  readonly #tree: Tree;
  readonly #onEnd: () => void;
  readonly #lost = new AbortController();
  readonly #unwatches = new Set<Unwatch>();
  #ended: PismakError | undefined;
  #end: Promise<void> | undefined;

  constructor(session: string, tree: Tree, onEnd: () => void) {
    this.session = session;
    this.#tree = tree;
    this.#onEnd = onEnd;
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
    return this.#change(() =>
      this.#tree.nodes.create(path, value, options.ephemeral ? this.session : undefined),
    );
  }

  async set(path: string, value: string, { version, under }: WriteOptions = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    return this.#change(() => this.#tree.nodes.set(path, value, version), under);
  }

  async delete(path: string, { version, under }: WriteOptions = {}): Promise<void> {
    checkPath(path);
    return this.#change(() => this.#tree.nodes.delete(path, version), under);
  }

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch {
    checkPath(path);
    this.#checkOpen();
    return this.#keepWatch(this.#tree.nodes.watches.add(path, listener));
  }

  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch {
    checkParent(path);
    this.#checkOpen();
    return this.#keepWatch(this.#tree.nodes.childWatches.add(path, listener));
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
    this.#end ??= this.#finish(new PismakError('session-lost', `Session ${this.session} is closed`));
    return this.#end;
  }

  /** What happens to a session of which nothing was heard for too long. */
  async expire(): Promise<void> {
    const reason = new PismakError('session-lost', `Session ${this.session} has expired: open a new one`);
    this.#end ??= this.#finish(reason).then(() => this.#lost.abort(reason));
    await this.#end;
  }

  async #finish(reason: PismakError): Promise<void> {
    this.#ended = reason;
    for (const unwatch of this.#unwatches) unwatch();
    await this.#tree.turns.run(() => {
      this.#tree.nodes.forgetOwnedBy(this.session);
      this.#tree.holds.dropSession(this.session, reason);
    });
    this.#onEnd();
  }

  #change<T>(write: () => Promise<T>, under?: Hold): Promise<T> {
    return this.#tree.turns.run(() => {
      this.#checkOpen();
      if (under) this.#tree.holds.check(under, this.session);
      return write();
    });
  }

  #checkOpen(): void {
    if (this.#ended) throw this.#ended;
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
