import { Kysely, PostgresDialect } from 'kysely';
import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { Queries } from '../database.ts';
import { type ReadLimits, readInTurn, readsAtOnce } from '../read-in-turn.ts';
import type { EngineTables } from '../tables.ts';
import { serverProcess } from './driver.ts';
import { KyselyConnection, StreamedStatement } from './kysely-connection.ts';
import { openPostgresPool, type PostgresPool } from './pool.ts';

/** The server's own limit, in case this process dies or the cancellation is lost. */
const serverLimitMs = 60_000;

/** Connections for expensive reads, opened when needed: the others stay free for everybody else. */
export class PostgresReaders {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #cancelling: PostgresPool;
  readonly #turns: ReturnType<typeof readInTurn>;
  /** Stops the running reads. */
  readonly #stops = new Set<() => void>();
  #opened: Promise<PostgresPool> | undefined;
  #closed = false;

  /** `cancelling` provides connections for sending cancellations. */
  constructor(options: { url: string; clock: Clock; cancelling: PostgresPool }) {
    this.#url = options.url;
    this.#clock = options.clock;
    this.#cancelling = options.cancelling;
    this.#turns = readInTurn(options.clock);
  }

  read<T>(limits: ReadLimits, work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#turns(limits, async (signal) => {
      const connection = await (await this.#pool()).connect();
      const held = new KyselyConnection(connection);
      let over = false;
      const stop = () => {
        over = true;
        const pid = serverProcess(connection.client);
        // If it gets lost, the server's own limit ends the statement.
        this.#cancelling.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => {});
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#stops.add(stop);
      let isSound = false;
      try {
        signal.throwIfAborted();
        await held.query('begin read only', []);
        await held.query(`set local statement_timeout = ${serverLimitMs}`, []);
        const result = await work(queriesOn(held));
        await held.query('rollback', []);
        isSound = true;
        return result;
      } finally {
        signal.removeEventListener('abort', stop);
        this.#stops.delete(stop);
        // A cancellation may still be on its way, and would hit the next statement.
        held.release(over || !isSound);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    await this.#opened?.then((pool) => pool.close()).catch(() => {});
  }

  async #pool(): Promise<PostgresPool> {
    if (this.#closed) throw new PismakError('unavailable', 'The database is closed.');
    this.#opened ??= openPostgresPool({ url: this.#url, max: readsAtOnce, clock: this.#clock }).catch(
      (error) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }
}

function queriesOn(held: KyselyConnection): Queries {
  const connection = {
    query: held.query.bind(held),
    // Returned when the whole read has ended.
    release() {},
  };
  return new Kysely<EngineTables>({
    dialect: new PostgresDialect({
      pool: { connect: async () => connection as never, end: async () => {}, options: {} },
      cursor: StreamedStatement,
    }),
  });
}
