import { PostgresLine } from '../../database/postgres/line.ts';
import type { PostgresNodes } from '../../database/postgres/nodes.ts';
import { prepareSchema } from '../../database/postgres/schema.ts';
import { PismakError } from '../../errors.ts';
import { newId } from '../../identity.ts';
import type { Clock } from '../../time/clock.ts';
import type { Coordination } from '../coordination.ts';
import { HoldLines } from './hold-lines.ts';
import { PostgresNodeTable } from './nodes.ts';
import { channel, schema } from './schema.ts';
import { PostgresSession } from './session.ts';
import { SessionTable } from './session-table.ts';
import { Watching } from './watching.ts';

export interface PostgresTreeSettings {
  clock: Clock;
  sessionTimeoutMs: number;
  report: (error: unknown) => void;
}

/** All sessions of this process, over one connection. */
export class PostgresTree {
  readonly #settings: PostgresTreeSettings;
  readonly #line: PostgresLine;
  readonly #table: SessionTable;
  readonly #nodes: PostgresNodeTable;
  readonly #watching: Watching;
  readonly #holds: HoldLines;
  readonly #sessions = new Map<string, { session: PostgresSession; heardAt: number }>();
  #cancel = () => {};
  #turn: Promise<void> | undefined;
  #closed = false;

  static async open(nodes: PostgresNodes, settings: PostgresTreeSettings): Promise<PostgresTree> {
    const tree = new PostgresTree(nodes, settings);
    try {
      await prepareSchema(tree.#line, schema);
    } catch (error) {
      await tree.#line.close();
      throw error;
    }
    tree.#takeTurn();
    return tree;
  }

  private constructor(nodes: PostgresNodes, settings: PostgresTreeSettings) {
    const { clock, sessionTimeoutMs, report } = settings;
    this.#settings = settings;
    this.#line = new PostgresLine(nodes, {
      clock,
      // Time enough to find another node before the sessions expire.
      patienceMs: sessionTimeoutMs / 2,
      settings: { search_path: schema.name },
      listen: channel,
      onNotice: (payload) => this.#heard(payload),
      onConnect: () => {
        this.#watching.refreshAll();
        this.#holds.lookAgain();
      },
    });
    this.#table = new SessionTable(this.#line, sessionTimeoutMs);
    this.#nodes = new PostgresNodeTable(this.#line);
    this.#watching = new Watching(report);
    this.#holds = new HoldLines(this.#line, clock);
  }

  async openSession(identity: string): Promise<Coordination> {
    if (this.#closed) throw new PismakError('unavailable', 'The coordination is closed');
    const { clock } = this.#settings;
    const name = `${identity}-${newId(clock)}`;
    const heardAt = clock.now();
    await this.#table.open(name);
    const session = new PostgresSession(name, {
      nodes: this.#nodes,
      watching: this.#watching,
      holds: this.#holds,
      end: (ended) => {
        this.#sessions.delete(ended);
        return this.#table.end(ended);
      },
    });
    this.#sessions.set(name, { session, heardAt });
    return session;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()));
    await this.#turn;
    await this.#line.close();
  }

  #heard(payload: string): void {
    const subject = payload.slice(1);
    if (payload.startsWith('n')) this.#watching.nodeChanged(subject);
    else if (payload.startsWith('h')) this.#holds.lineChanged(subject);
    else this.#expired(subject);
  }

  /** Three times in the life of a session: says that ours live, and ends those of which nothing was heard. */
  #takeTurn(): void {
    const { clock, sessionTimeoutMs } = this.#settings;
    this.#turn = this.#renew().finally(() => {
      if (!this.#closed) this.#cancel = clock.after(sessionTimeoutMs / 3, () => this.#takeTurn());
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
        if (!alive.has(name)) this.#expired(name);
        else if (ours) ours.heardAt = askedAt;
      }
      await this.#holds.leaveUnknown(names);
      await this.#table.endExpired();
    } catch {
      // Nobody hears us: by now the server may have given what we hold to another.
      for (const [name, { heardAt }] of this.#sessions) {
        if (clock.now() - heardAt > sessionTimeoutMs) this.#expired(name);
      }
    }
  }

  #expired(name: string): void {
    const ours = this.#sessions.get(name);
    this.#sessions.delete(name);
    ours?.session.expired();
  }
}
