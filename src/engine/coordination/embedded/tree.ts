import type { Queries } from '../../database/database.ts';
import { newId } from '../../ground/identity.ts';
import type { Clock } from '../../time/clock.ts';
import { Slots } from '../../turns/slots.ts';
import type { Coordination, Hold } from '../coordination.ts';
import { sessionUnknown } from '../errors.ts';
import type { CoordinationSource } from '../open.ts';
import { type SessionTree, TreeSession } from '../session.ts';
import { EmbeddedHolds } from './holds.ts';
import { EmbeddedNodes } from './nodes.ts';

export interface EmbeddedTreeSettings {
  clock: Clock;
  report: (error: unknown) => void;
}

/** The tree and all its sessions, in this process. */
export class EmbeddedTree implements CoordinationSource {
  readonly #clock: Clock;
  /** Every change takes a turn, so that a check and the write that relies on it are atomic. */
  readonly #turns = new Slots(1);
  readonly #nodes: EmbeddedNodes;
  readonly #holds: EmbeddedHolds;
  readonly #sessions = new Map<string, TreeSession>();

  static async open(queries: Queries, settings: EmbeddedTreeSettings): Promise<EmbeddedTree> {
    const tree = new EmbeddedTree(queries, settings);
    await tree.#nodes.load();
    return tree;
  }

  private constructor(queries: Queries, { clock, report }: EmbeddedTreeSettings) {
    this.#clock = clock;
    this.#nodes = new EmbeddedNodes(queries, report);
    this.#holds = new EmbeddedHolds(queries, this.#turns);
  }

  async openSession(identity: string): Promise<Coordination> {
    const name = `${identity}-${newId(this.#clock)}`;
    const session = new TreeSession(name, this.#forSession(name));
    this.#sessions.set(name, session);
    return session;
  }

  /** Ends a session as if it had been silent for too long. */
  async expire(name: string): Promise<void> {
    const session = this.#sessions.get(name);
    if (!session) throw sessionUnknown(name);
    await session.expire();
  }

  /** Ends all sessions. The caller closes the database. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #forSession(session: string): SessionTree {
    const nodes = this.#nodes;
    const holds = this.#holds;
    const change = <T>(write: () => Promise<T>, under?: Hold) =>
      this.#turns.run(() => {
        if (under) holds.check(under, session);
        return write();
      });
    return {
      get: async (path) => nodes.get(path),
      children: async (path) => nodes.children(path),
      create: (path, value, ephemeral) =>
        change(() => nodes.create(path, value, ephemeral ? session : undefined)),
      set: (path, value, { version, under }) => change(() => nodes.set(path, value, version), under),
      delete: (path, { version, under }) => change(() => nodes.delete(path, version), under),
      watch: (path, listener) => nodes.watches.watch(path, listener),
      watchChildren: (path, listener) => nodes.watches.watchChildren(path, listener),
      hold: (path, identity, signal) => holds.hold(path, session, identity, signal),
      holder: async (path) => holds.holder(path),
      // Its turn comes after all writes of the session, so none of its nodes outlives it.
      drop: (reason) =>
        this.#turns.run(() => {
          this.#sessions.delete(session);
          nodes.forgetEphemeral(session);
          holds.drop(session, reason);
        }),
      leave: async () => {},
    };
  }
}
