import type pg from 'pg';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { Slots } from '../../turns/slots.ts';
import type { PostgresHost } from './address.ts';
import { PostgresCluster } from './cluster.ts';
import { postgresError } from './errors.ts';
import { PooledConnection } from './pooled-connection.ts';

/**
 * Connections to the primary, whichever server of the URL it is: after a fail-over, the pool finds the new primary without a
 * restart. While there is none, everything throws `unavailable` at once.
 */
export interface PostgresPool {
  /** Takes a connection; give it back with `release`. */
  connect(): Promise<PooledConnection>;
  query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** Runs `work` once, in a transaction at the server's default isolation (read committed). */
  transaction<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T>;
  /** Waits for connections in use. */
  close(): Promise<void>;
}

export async function openPostgresPool(options: {
  url: string;
  /** Limit on open connections. */
  max?: number;
  clock?: Clock;
}): Promise<PostgresPool> {
  const { max = 10, clock = systemClock } = options;
  const cluster = await PostgresCluster.open(options.url, clock);
  // The driver's own queue forgets its waiters when a pool ends, so don't let any caller wait there.
  const slots = new Slots(max, { what: `${max} connections to PostgreSQL`, clock });
  let present: Promise<Node> | undefined;
  let closed = false;

  interface Node {
    host: PostgresHost;
    pool: pg.Pool;
  }

  const find = async (): Promise<Node> => {
    const host = await cluster.primary();
    const pool = new cluster.pg.Pool({
      ...cluster.clientOptions(host),
      Client: cluster.Client,
      max,
      idleTimeoutMillis: 30_000,
      onConnect: async (client) => {
        // Without a listener, an error of a connection in use would end the process. The connection's user gets the error anyway.
        client.on('error', () => {});
        await cluster.admit(client);
      },
    });
    pool.on('error', () => {});
    return { host, pool };
  };
  const leave = (left: Promise<Node>) => {
    if (present === left) present = undefined;
    void left.then(({ pool }) => pool.end()).catch(() => {});
  };
  /** A server that no longer answers as primary gets no more callers. */
  const isAlive = async (node: Promise<Node>): Promise<boolean> => {
    const alive = await cluster.isPrimary((await node).host);
    if (!alive) leave(node);
    return alive;
  };
  const acquire = async () => {
    for (let attempt = 1; ; attempt++) {
      if (closed) throw new PismakError('unavailable', 'The connections to PostgreSQL are closed.');
      present ??= find();
      const node = present;
      try {
        return { client: await (await node).pool.connect(), isAlive: () => isAlive(node) };
      } catch (error) {
        leave(node);
        if (attempt === 2) throw postgresError(error);
      }
    }
  };
  const pool: PostgresPool = {
    async connect() {
      const giveBack = await slots.take();
      try {
        return new PooledConnection({ ...(await acquire()), giveBack, clock });
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    async query(query, values) {
      const connection = await pool.connect();
      try {
        return await connection.query(query, values);
      } finally {
        connection.release();
      }
    },
    async transaction(work) {
      const connection = await pool.connect();
      let ended = false;
      try {
        await connection.query('BEGIN');
        const result = await work(connection);
        const { command } = await connection.query('COMMIT');
        ended = true;
        // The server answers this if `work` swallowed a failed statement.
        if (command !== 'COMMIT') throw new PismakError('internal', 'A statement of the transaction failed.');
        return result;
      } finally {
        if (!ended) ended = await connection.query('ROLLBACK').then(always, never);
        connection.release(!ended);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await present?.then((node) => node.pool.end()).catch(() => {});
    },
  };
  // Wrong settings must be reported now, not at the first query.
  const first = await pool.connect();
  first.release();
  return pool;
}

const always = () => true;
const never = () => false;
