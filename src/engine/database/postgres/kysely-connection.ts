import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PismakError } from '../../ground/errors.ts';
import { postgresError } from './errors.ts';
import type { PooledConnection } from './pooled-connection.ts';

/** A result that Kysely streams. It becomes a server cursor when it is read. */
export class StreamedStatement<Row> implements PostgresCursor<Row> {
  readonly sql: string;
  readonly parameters: readonly unknown[];

  constructor(sql: string, parameters: readonly unknown[]) {
    this.sql = sql;
    this.parameters = parameters;
  }

  async read(): Promise<Row[]> {
    return [];
  }

  async close(): Promise<void> {}
}

/** A connection in the form Kysely needs. */
export class KyselyConnection implements PostgresPoolClient {
  readonly #connection: PooledConnection;
  #inTransaction = false;
  /** The error that broke the transaction. If the transaction's owner swallows it, the commit still fails with it. */
  #failure: PismakError | undefined;
  #inDoubt = false;
  #cursors = 0;

  constructor(connection: PooledConnection) {
    this.#connection = connection;
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    what: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof what === 'string') return this.#execute<Row>(what, parameters);
    if (what instanceof StreamedStatement) return this.#open<Row>(what);
    throw new Error('only statements of our own can be streamed');
  }

  release(destroy = false): void {
    this.#connection.release(destroy || this.#inDoubt);
  }

  async #execute<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (/^(begin|start transaction)\b/.test(sql)) {
      this.#inTransaction = true;
      this.#failure = undefined;
    }
    if (sql === 'rollback') return this.#rollback();
    try {
      const result = await this.#connection.query<Row & Record<string, unknown>>(sql, [...parameters]);
      if (sql === 'commit') {
        if (result.command === 'ROLLBACK' && this.#failure) throw this.#failure;
        this.#inTransaction = false;
      }
      // Kysely's list of commands is shorter than the server's.
      return result as unknown as PostgresQueryResult<Row>;
    } catch (error) {
      const failure = postgresError(error);
      this.#failure ??= failure;
      if (failure.code === 'unavailable') this.#inDoubt = true;
      // After the first failure the server refuses every statement. Report the first.
      throw this.#inTransaction ? this.#failure : failure;
    }
  }

  /** Never throws: if the rollback fails, the connection is cut, which ends the transaction. */
  async #rollback<Row>(): Promise<PostgresQueryResult<Row>> {
    await this.#connection.query('rollback').catch(() => {
      this.#inDoubt = true;
    });
    this.#inTransaction = false;
    return { command: 'ROLLBACK', rowCount: 0, rows: [] };
  }

  #open<Row>({ sql, parameters }: StreamedStatement<Row>): PostgresCursor<Row> {
    const cursor = `stream_${++this.#cursors}`;
    // A cursor needs a transaction: the current one, or its own.
    const own = !this.#inTransaction;
    let opened = false;
    return {
      read: async (size) => {
        if (!opened) {
          if (own) await this.#execute('begin', []);
          await this.#execute(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
          opened = true;
        }
        return (await this.#execute<Row>(`fetch ${Number(size)} from ${cursor}`, [])).rows;
      },
      close: async () => {
        if (own) await this.#rollback();
        else if (opened && !this.#failure) await this.#execute(`close ${cursor}`, []);
      },
    };
  }
}
