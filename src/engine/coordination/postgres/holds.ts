import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import type { PismakError } from '../../ground/errors.ts';
import { newId } from '../../ground/identity.ts';
import type { Clock } from '../../time/clock.ts';
import type { Hold } from '../coordination.ts';
import { sessionExpired } from '../errors.ts';

interface Ticket {
  readonly name: string;
  readonly path: string;
  readonly session: string;
  readonly identity: string;
  readonly lost: AbortController;
  resolve(hold: Hold): void;
  reject(error: unknown): void;
}

/** Places of a path are taken one at a time, otherwise a later place might be visible before an earlier one. */
const lockQueue: Statement = {
  name: 'lock-queue',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 7061736004))',
};
const joinQueue: Statement = {
  name: 'join-queue',
  text: `WITH alive AS MATERIALIZED (SELECT 1 FROM session WHERE name = $2 FOR KEY SHARE)
    INSERT INTO hold (path, session, identity, ticket) SELECT $1, $2, $3, $4 FROM alive RETURNING place`,
};
const first: Statement = {
  name: 'first-in-queue',
  text: 'SELECT place, identity, ticket FROM hold WHERE path = $1 ORDER BY place LIMIT 1',
};
const leaveQueue: Statement = { name: 'leave-queue', text: 'DELETE FROM hold WHERE ticket = $1' };
const leaveUnknown: Statement = {
  name: 'leave-unknown',
  text: 'DELETE FROM hold WHERE session = ANY($1::text[]) AND ticket <> ALL ($2::text[])',
};

/**
 * The table has a queue for each path; the first place is the holder's. This object has the tickets of this process. A ticket is
 * *joining* until its row is written, *waiting* while other rows are before it, *holder* when its row is the first (the promise
 * resolves), and over when the row is deleted: by `release`, by an aborted wait, or with the session (the hold is lost).
 */
export class PostgresHolds {
  readonly #connection: LastingConnection;
  readonly #clock: Clock;
  readonly #tickets = new Map<string, Ticket>();

  constructor(connection: LastingConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  async hold(path: string, session: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Hold>();
    const lost = new AbortController();
    const ticket: Ticket = { name: newId(this.#clock), path, session, identity, lost, resolve, reject };
    this.#tickets.set(ticket.name, ticket);
    const leave = () => {
      reject(signal?.reason);
      void this.#leave(ticket).catch(() => {});
    };
    signal?.addEventListener('abort', leave, { once: true });
    void this.#join(ticket);
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  async holder(path: string): Promise<{ identity: string; fence: number } | undefined> {
    const [row] = await this.#connection.query<[number, string]>(first, [path]);
    return row && { fence: row[0], identity: row[1] };
  }

  /** A session has left the queue. */
  queueChanged(path: string): void {
    const ours = [...this.#tickets.values()].some((ticket) => ticket.path === path);
    // If the server is away, `serveAll` follows when it is back.
    if (ours) void this.#serve(path).catch(() => {});
  }

  serveAll(): void {
    for (const path of new Set([...this.#tickets.values()].map((ticket) => ticket.path)))
      this.queueChanged(path);
  }

  /** Drops the tickets of an ended session, which the table has already dropped. */
  drop(session: string, reason: PismakError): void {
    for (const ticket of this.#tickets.values()) {
      if (ticket.session !== session) continue;
      this.#tickets.delete(ticket.name);
      ticket.reject(reason);
      ticket.lost.abort(reason);
    }
  }

  /** Leaves queues in which we have an unknown place, because an answer was lost. */
  async leaveUnknown(sessions: readonly string[]): Promise<void> {
    await this.#connection.query(leaveUnknown, [sessions, [...this.#tickets.keys()]]);
  }

  async #join(ticket: Ticket): Promise<void> {
    const { path, session, identity, name } = ticket;
    try {
      const [, places] = await this.#connection.together([
        [lockQueue, [path]],
        [joinQueue, [path, session, identity, name]],
      ]);
      if (places?.length === 0) throw sessionExpired(session);
      if (this.#tickets.has(name)) await this.#serve(path);
      else await this.#leave(ticket);
    } catch (error) {
      this.#tickets.delete(name);
      ticket.reject(error);
    }
  }

  async #serve(path: string): Promise<void> {
    const [row] = await this.#connection.query<[number, string, string]>(first, [path]);
    const ticket = row && this.#tickets.get(row[2]);
    if (!ticket) return;
    ticket.resolve({
      path,
      identity: ticket.identity,
      fence: row[0],
      lost: ticket.lost.signal,
      release: () => this.#leave(ticket),
    });
  }

  async #leave(ticket: Ticket): Promise<void> {
    this.#tickets.delete(ticket.name);
    await this.#connection.query(leaveQueue, [ticket.name]);
  }
}
