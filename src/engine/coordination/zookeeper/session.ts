import type { Clock } from '../../time/clock.ts';
import type { Coordination, Hold, Node, Unwatch, WriteOptions } from '../coordination.ts';
import { checkParent, checkPath, checkValue } from '../path.ts';
import type { ZookeeperClient } from './client.ts';
import { HoldLine } from './hold-line.ts';
import type { Names } from './names.ts';
import { createNode, deleteNode, getChildNodes, getNode, setNode } from './nodes.ts';
import { type Following, watchChildren, watchNode } from './watching.ts';
import { Znodes } from './znodes.ts';

export interface SessionParts {
  client: ZookeeperClient;
  names: Names;
  identity: string;
  clock: Clock;
  report(error: unknown): void;
}

export class ZookeeperSession implements Coordination {
  readonly session: string;
  readonly lost: AbortSignal;
  readonly #client: ZookeeperClient;
  readonly #znodes: Znodes;
  readonly #by: Following;
  readonly #line: HoldLine;
  readonly #unwatches = new Set<Unwatch>();

  constructor({ client, names, identity, clock, report }: SessionParts) {
    this.session = `${identity}-${BigInt.asUintN(64, client.id).toString(16)}`;
    this.lost = client.lost;
    this.#client = client;
    this.#znodes = new Znodes(client, names);
    this.#by = { znodes: this.#znodes, report };
    this.#line = new HoldLine(this.#by, clock);
    client.ended.addEventListener('abort', () => this.#stopWatching(), { once: true });
  }

  async get(path: string): Promise<Node | undefined> {
    checkPath(path);
    return getNode(this.#znodes, path);
  }

  async children(path: string): Promise<Node[]> {
    checkParent(path);
    return getChildNodes(this.#znodes, path);
  }

  async create(path: string, value: string, options: { ephemeral?: boolean } = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    return createNode(this.#znodes, path, value, options.ephemeral ?? false);
  }

  async set(path: string, value: string, options: WriteOptions = {}): Promise<Node> {
    checkPath(path);
    checkValue(path, value);
    return setNode(this.#znodes, path, value, this.#conditions(options));
  }

  async delete(path: string, options: WriteOptions = {}): Promise<void> {
    checkPath(path);
    return deleteNode(this.#znodes, path, this.#conditions(options));
  }

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch {
    checkPath(path);
    this.#client.checkOpen();
    return this.#keepWatch(watchNode(this.#by, path, listener));
  }

  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch {
    checkParent(path);
    this.#client.checkOpen();
    return this.#keepWatch(watchChildren(this.#by, path, listener));
  }

  async hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    checkPath(path);
    return this.#line.hold(path, identity, signal);
  }

  async holder(path: string): Promise<{ identity: string; fence: number } | undefined> {
    checkPath(path);
    return this.#line.holder(path);
  }

  close(): Promise<void> {
    this.#stopWatching();
    return this.#client.close();
  }

  #conditions({ version, under }: WriteOptions) {
    // A session that is over says so, rather than that the hold is lost.
    this.#client.checkOpen();
    return { version, under: under && this.#line.find(under) };
  }

  #keepWatch(stop: Unwatch): Unwatch {
    const unwatch = () => {
      this.#unwatches.delete(unwatch);
      stop();
    };
    this.#unwatches.add(unwatch);
    return unwatch;
  }

  #stopWatching(): void {
    for (const unwatch of this.#unwatches) unwatch();
  }
}
