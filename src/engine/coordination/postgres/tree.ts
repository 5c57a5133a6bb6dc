import type { PostgresCluster } from '../../database/postgres/cluster.ts';
import { LastingConnection } from '../../database/postgres/lasting-connection.ts';
import { prepareSchema } from '../../database/postgres/schema.ts';
import { PismakError } from '../../ground/errors.ts';
import { newId } from '../../ground/identity.ts';
import type { Clock } from '../../time/clock.ts';
import type { Coordination } from '../coordination.ts';
import type { CoordinationSource } from '../open.ts';
import { type SessionTree, TreeSession } from '../session.ts';
import { Watches } from '../watches.ts';
import { PostgresHolds } from './holds.ts';
import { PostgresNodes } from './nodes.ts';
import { channel, schema } from './schema.ts';
import { SessionTable } from './session-table.ts';

export interface PostgresTreeSettings {
  clock: Clock;
  sessionTimeoutMs: number;
  report: (error: unknown) => void;
}

/** All sessions of this process, over one connection. */
export class PostgresTree implements CoordinationSource {
  readonly #settings: PostgresTreeSettings;
  readonly #connection: LastingConnection;
  readonly #table: SessionTable;
  readonly #nodes: PostgresNodes;
  readonly #watches: Watches;
  readonly #holds: PostgresHolds;
  readonly #sessions = new Map<string, { session: TreeSession; renewedAt: number }>();
  #cancel = () => {};
  #renewing: Promise<void> | undefined;
  #closed = false;

  static async open(cluster: PostgresCluster, settings: PostgresTreeSettings): Promise<PostgresTree> {
    const tree = new PostgresTree(cluster, settings);
    try {
      await prepareSchema(tree.#connection, schema);
    } catch (error) {
      await tree.#connection.close();
      throw error;
    }
    tree.#keepRenewing();
    return tree;
  }

  private constructor(cluster: PostgresCluster, settings: PostgresTreeSettings) {
    const { clock, sessionTimeoutMs, report } = settings;
    this.#settings = settings;
    this.#connection = new LastingConnection(cluster, {
      clock,
      // Leaves time to find another server before the sessions expire.
      patienceMs: sessionTimeoutMs / 2,
      settings: { search_path: schema.name },
      listen: channel,
      onNotice: (payload) => this.#notified(payload),
      onConnect: () => {
        this.#watches.refreshAll();
        this.#holds.serveAll();
      },
    });
    this.#table = new SessionTable(this.#connection, sessionTimeoutMs);
    this.#nodes = new PostgresNodes(this.#connection);
    this.#watches = new Watches(this.#nodes, report);
    this.#holds = new PostgresHolds(this.#connection, clock);
  }

  async openSession(identity: string): Promise<Coordination> {
    if (this.#closed) throw new PismakError('unavailable', 'The coordination is closed.');
    const { clock } = this.#settings;
    const name = `${identity}-${newId(clock)}`;
    const renewedAt = clock.now();
    await this.#table.open(name);
    const session = new TreeSession(name, this.#forSession(name));
    this.#sessions.set(name, { session, renewedAt });
    return session;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()));
    await this.#renewing;
    await this.#connection.close();
  }

  #forSession(session: string): SessionTree {
    const nodes = this.#nodes;
    const watches = this.#watches;
    const holds = this.#holds;
    return {
      get: (path) => nodes.get(path),
      children: (path) => nodes.children(path),
      create: (path, value, ephemeral) => nodes.create(session, path, value, ephemeral),
      set: (path, value, options) => nodes.set(session, path, value, options),
      delete: (path, options) => nodes.delete(session, path, options),
      watch: (path, listener) => watches.watch(path, listener),
      watchChildren: (path, listener) => watches.watchChildren(path, listener),
      hold: (path, identity, signal) => holds.hold(path, session, identity, signal),
      holder: (path) => holds.holder(path),
      drop: (reason) => {
        this.#sessions.delete(session);
        holds.drop(session, reason);
      },
      // If the server is away, the session expires there.
      leave: () => this.#table.end(session).catch(() => {}),
    };
  }

  #notified(payload: string): void {
    const subject = payload.slice(1);
    if (payload.startsWith('n')) this.#watches.nodeChanged(subject);
    else if (payload.startsWith('h')) this.#holds.queueChanged(subject);
    else void this.#sessions.get(subject)?.session.expire();
  }

  /** Runs three times per session timeout: renews our sessions and ends silent ones. */
  #keepRenewing(): void {
    const { clock, sessionTimeoutMs } = this.#settings;
    this.#renewing = this.#renew().finally(() => {
      if (!this.#closed) this.#cancel = clock.after(sessionTimeoutMs / 3, () => this.#keepRenewing());
    });
  }

  async #renew(): Promise<void> {
    const { clock, sessionTimeoutMs } = this.#settings;
    const names = [...this.#sessions.keys()];
    const askedAt = clock.now();
    try {
      const alive = await this.#table.renew(names);
      for (const name of names) {
        const ours = this.#sessions.get(name);
        if (!alive.has(name)) void ours?.session.expire();
        else if (ours) ours.renewedAt = askedAt;
      }
      await this.#holds.leaveUnknown(names);
      await this.#table.endExpired();
    } catch {
      // The server is out of reach: by now it may have given our holds to others.
      for (const { session, renewedAt } of this.#sessions.values()) {
        if (clock.now() - renewedAt > sessionTimeoutMs) void session.expire();
      }
    }
  }
}
