import type { Random } from '../../ground/identity.ts';
import type { Clock } from '../../time/clock.ts';
import type { Coordination, WriteOptions } from '../coordination.ts';
import { sessionUnknown } from '../errors.ts';
import type { CoordinationSource } from '../open.ts';
import { type SessionTree, TreeSession } from '../session.ts';
import type { EnsembleAddress } from './address.ts';
import { ZookeeperClient } from './client.ts';
import { closeTree } from './close-tree.ts';
import { ZookeeperHolds } from './holds.ts';
import { Names } from './names.ts';
import { createNode, deleteNode, getChildNodes, getNode, setNode } from './nodes.ts';
import { type Following, watchChildren, watchNode } from './watching.ts';
import { Znodes } from './znodes.ts';

export interface ZookeeperTreeSettings {
  clock: Clock;
  random: Random;
  sessionTimeoutMs: number;
  report: (error: unknown) => void;
}

/** All sessions of this process, each with its own connection. */
export class ZookeeperTree implements CoordinationSource {
  readonly #address: EnsembleAddress;
  readonly #names: Names;
  readonly #settings: ZookeeperTreeSettings;
  readonly #sessions = new Map<string, { session: TreeSession; client: ZookeeperClient }>();
  readonly #sasl: { isUsed: boolean };
  readonly #closing = new AbortController();

  constructor(address: EnsembleAddress, settings: ZookeeperTreeSettings) {
    this.#address = address;
    this.#names = new Names(address.root, address.credentials !== undefined);
    this.#settings = settings;
    this.#sasl = { isUsed: address.sasl };
  }

  get isOpenToAll(): boolean {
    return this.#names.isOpenToAll;
  }

  /** Rejects with `unavailable` if no server answers within the session timeout. */
  async openSession(identity: string): Promise<Coordination> {
    const client = await this.#connect();
    client.checkOpen();
    const name = `${identity}-${BigInt.asUintN(64, client.id).toString(16)}`;
    const session = new TreeSession(name, this.#forSession(client));
    this.#sessions.set(name, { session, client });
    client.ended.addEventListener('abort', () => this.#sessions.delete(name), { once: true });
    client.lost.addEventListener('abort', () => session.expire(client.lost.reason), { once: true });
    return session;
  }

  /** Closes nodes that were made without a user, when the URL had none. */
  async closeToOthers(): Promise<void> {
    if (this.isOpenToAll) return;
    const client = await this.#connect();
    try {
      await closeTree(new Znodes(client, this.#names), this.#names.directory('/'));
    } finally {
      await client.close();
    }
  }

  /** Ends a session as if it had been silent for too long. */
  async expire(name: string): Promise<void> {
    const found = this.#sessions.get(name);
    if (!found) throw sessionUnknown(name);
    await found.client.expire();
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()));
  }

  #connect(): Promise<ZookeeperClient> {
    const { signal } = this.#closing;
    return ZookeeperClient.open({ address: this.#address, sasl: this.#sasl, signal, ...this.#settings });
  }

  #forSession(client: ZookeeperClient): SessionTree {
    const { clock, report } = this.#settings;
    const znodes = new Znodes(client, this.#names);
    const by: Following = { znodes, report };
    const holds = new ZookeeperHolds(by, clock);
    const conditions = ({ version, under }: WriteOptions) => ({ version, under: under && holds.find(under) });
    return {
      get: (path) => getNode(znodes, path),
      children: (path) => getChildNodes(znodes, path),
      create: (path, value, ephemeral) => createNode(znodes, path, value, ephemeral),
      set: async (path, value, options) => setNode(znodes, path, value, conditions(options)),
      delete: async (path, options) => deleteNode(znodes, path, conditions(options)),
      watch: (path, listener) => watchNode(by, path, listener),
      watchChildren: (path, listener) => watchChildren(by, path, listener),
      hold: (path, identity, signal) => holds.hold(path, identity, signal),
      holder: (path) => holds.holder(path),
      // The client knows when the session ends, and ends its holds and requests.
      drop: () => {},
      leave: () => client.close(),
    };
  }
}
