import type pg from 'pg';
import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { PostgresCluster } from './cluster.ts';
import { cutConnection, inOneWrite } from './driver.ts';
import { isClash, postgresError } from './errors.ts';

/** A statement that the server prepares once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/** A statement and its values. */
export type Asked = readonly [statement: Statement, values: readonly unknown[]];

export interface LastingConnectionOptions {
  clock: Clock;
  /** After this time without an answer, drops the server and looks for the primary again. */
  patienceMs: number;
  /** Server settings for this connection. */
  settings?: Readonly<Record<string, string>>;
  /** Channels to listen on. A listening connection reconnects by itself. */
  listen?: string;
  onNotice?: (payload: string) => void;
  /** Called after each connect: notices may have been missed. */
  onConnect?: () => void;
}

const againMs = 250;
/** How often conflicting work is retried. */
const clashes = 5;

/** One connection, opened on demand and reopened when lost. Concurrent queries share round trips. */
export class LastingConnection {
  readonly #cluster: PostgresCluster;
  readonly #options: LastingConnectionOptions;
  #connected: Promise<pg.Client> | undefined;
  #closed = false;
  #cancelAgain = () => {};

  constructor(cluster: PostgresCluster, options: LastingConnectionOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Connects now, so that wrong settings are reported at once. */
  async connect(): Promise<void> {
    await this.#connect();
  }

  /** The rows of one statement, as arrays. */
  async query<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask((send) => send([statement, values]) as Promise<unknown> as Promise<Row[]>);
      } catch (error) {
        if (!isClash(error) || attempt === clashes) throw error;
      }
    }
  }

  /** Several statements in one transaction and one round trip: the rows of each. A single statement is its own transaction. */
  async together(asked: readonly Asked[]): Promise<unknown[][][]> {
    const [only, ...others] = asked;
    if (only && others.length === 0) return [await this.#ask((send) => send(only))];
    return this.#ask(async (send) => {
      const answers = [beginning, ...asked, end].map((one) => send(one));
      const results = await Promise.allSettled(answers);
      // Only the first failure gives the cause.
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      return results.slice(1, -1).map((result) => (result.status === 'fulfilled' ? result.value : []));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelAgain();
    const client = await this.#connected?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  async #ask<T>(work: (send: (asked: Asked) => Promise<unknown[][]>) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const cancel = this.#options.clock.after(this.#options.patienceMs, () => cutConnection(client));
    try {
      return await inOneWrite(client, () =>
        work(async ([{ name, text }, values]) => {
          const { rows } = await client.query<unknown[]>({
            name,
            text,
            values: [...values],
            rowMode: 'array',
          });
          return rows;
        }),
      );
    } catch (error) {
      throw postgresError(error);
    } finally {
      cancel();
    }
  }

  #connect(): Promise<pg.Client> {
    if (this.#closed) {
      return Promise.reject(new PismakError('unavailable', 'The connection to PostgreSQL is closed.'));
    }
    if (!this.#connected) {
      const connecting = this.#open(() => this.#lost(connecting));
      this.#connected = connecting;
      connecting.catch(() => this.#lost(connecting));
    }
    return this.#connected;
  }

  async #open(lost: () => void): Promise<pg.Client> {
    const { listen, onNotice, onConnect, clock, patienceMs } = this.#options;
    const client = await this.#clientOfPrimary();
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => onNotice?.(payload));
    const cancel = clock.after(patienceMs, () => cutConnection(client));
    try {
      await client.connect();
      await this.#cluster.admit(client);
      if (listen) await client.query(`LISTEN ${client.escapeIdentifier(listen)}`);
    } catch (error) {
      cutConnection(client);
      throw postgresError(error);
    } finally {
      cancel();
    }
    onConnect?.();
    return client;
  }

  /** Returns a client that is not connected yet. It pipelines queries. */
  async #clientOfPrimary(): Promise<pg.Client> {
    const options = this.#cluster.clientOptions(await this.#cluster.primary());
    const settings = Object.entries(this.#options.settings ?? {}).map(
      ([name, value]) => `-c ${name}=${value}`,
    );
    return new this.#cluster.Client({
      ...options,
      options: [options.options, ...settings].join(' '),
      pipeline: true,
    });
  }

  #lost(connecting: Promise<unknown>): void {
    if (this.#connected !== connecting) return;
    this.#connected = undefined;
    if (this.#closed || !this.#options.listen) return;
    this.#cancelAgain();
    this.#cancelAgain = this.#options.clock.after(againMs, () => void this.#connect().catch(() => {}));
  }
}

const beginning: Asked = [{ name: 'begin', text: 'BEGIN' }, []];
const end: Asked = [{ name: 'commit', text: 'COMMIT' }, []];
