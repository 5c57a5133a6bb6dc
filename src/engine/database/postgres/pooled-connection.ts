import type pg from 'pg';
import type { Clock } from '../../time/clock.ts';
import { cutConnection } from './driver.ts';
import { postgresError } from './errors.ts';

/** A statement may take any time, but after this time the server must show that it is alive. */
const patienceMs = 5000;

/** One connection, from `connect` to `release`. Its errors are PismakErrors, and a hung server doesn't hang us. */
export class PooledConnection {
  readonly client: pg.PoolClient;
  readonly #giveBack: () => void;
  readonly #isAlive: () => Promise<boolean>;
  readonly #clock: Clock;
  #released = false;

  constructor(parts: {
    client: pg.PoolClient;
    giveBack: () => void;
    isAlive: () => Promise<boolean>;
    clock: Clock;
  }) {
    this.client = parts.client;
    this.#giveBack = parts.giveBack;
    this.#isAlive = parts.isAlive;
    this.#clock = parts.clock;
  }

  async query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const stopWatching = this.#watch();
    try {
      return await this.client.query<Row>(query, values);
    } catch (error) {
      throw postgresError(error);
    } finally {
      stopWatching();
    }
  }

  /** With `destroy`, the connection is closed instead of reused: for a connection in an unknown state. */
  release(destroy = false): void {
    if (this.#released) return;
    this.#released = true;
    this.client.release(destroy);
    this.#giveBack();
  }

  /**
   * A machine that froze or lost the network never answers, and TCP takes a quarter of an hour to notice. So we try a fresh
   * connection now and then, and if that fails too, we cut this one.
   */
  #watch(): () => void {
    let over = false;
    let cancel = () => {};
    const check = async () => {
      const alive = await this.#isAlive();
      if (over) return;
      if (alive) wait();
      else cutConnection(this.client);
    };
    const wait = () => {
      cancel = this.#clock.after(patienceMs, () => void check());
    };
    wait();
    return () => {
      over = true;
      cancel();
    };
  }
}
