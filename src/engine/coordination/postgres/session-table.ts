import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';

const open: Statement = {
  name: 'open-session',
  text: 'INSERT INTO session (name, expires_at) VALUES ($1, now_ms() + $2)',
};
const renew: Statement = {
  name: 'renew-sessions',
  text: 'UPDATE session SET expires_at = now_ms() + $2 WHERE name = ANY($1::text[]) RETURNING name',
};
const end: Statement = { name: 'end-session', text: 'DELETE FROM session WHERE name = $1' };
/**
 * After a failover, every process reconnects a little later. So a process may end silent sessions only after it has been
 * connected for the session timeout.
 */
const endExpired: Statement = {
  name: 'end-expired',
  text: `DELETE FROM session WHERE name IN (SELECT name FROM session WHERE expires_at < now_ms() FOR UPDATE SKIP LOCKED)
    AND (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) < clock_timestamp() - $1 * interval '1 millisecond'`,
};

/** The live sessions, by the server's clock: *open* until `end`, or until it has not been renewed for the timeout and any process ends it. */
export class SessionTable {
  readonly #connection: LastingConnection;
  readonly #timeoutMs: number;

  constructor(connection: LastingConnection, timeoutMs: number) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  async open(name: string): Promise<void> {
    await this.#connection.query(open, [name, this.#timeoutMs]);
  }

  /** Resolves to the sessions that still exist. */
  async renew(names: readonly string[]): Promise<Set<string>> {
    const rows = await this.#connection.query<[string]>(renew, [names, this.#timeoutMs]);
    return new Set(rows.map(([name]) => name));
  }

  async end(name: string): Promise<void> {
    await this.#connection.query(end, [name]);
  }

  async endExpired(): Promise<void> {
    await this.#connection.query(endExpired, [this.#timeoutMs]);
  }
}
