import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
} from 'kysely';
import { PismakError } from '../../ground/errors.ts';
import { Slots } from '../../turns/slots.ts';
import type { SqliteAnswer, SqliteQuestion, Statement } from './thread.ts';
import type { ThreadLink } from './thread-link.ts';

type Link = ThreadLink<SqliteQuestion, SqliteAnswer>;

/** Kysely would queue reads behind transactions too; we queue only writes. */
export class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Reads run at once; writes and transactions take turns. A "connection" is just permission to ask. */
export class SqliteThreadDriver implements Driver {
  readonly #link: Link;
  readonly #writing = new Slots(1);
  readonly #within = new AsyncLocalStorage<{ open: boolean }>();
  #closed = false;

  constructor(link: Link) {
    this.#link = link;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    if (this.#closed) throw new PismakError('unavailable', 'The database is closed.');
    return new SqliteConnection(this.#link, () => this.#takeTurn());
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(): Promise<void> {
    await this.#link.ask({ kind: 'rollback' });
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn();
  }

  /** Runs `work` during its transaction's turn. Writes outside the transaction fail there, since they would wait for ever. */
  async insideTransaction<T>(work: () => Promise<T>): Promise<T> {
    const transaction = { open: true };
    try {
      return await this.#within.run(transaction, work);
    } finally {
      transaction.open = false;
    }
  }

  async destroy(): Promise<void> {
    this.#closed = true;
    await this.#writing.run(() => this.#link.close({ kind: 'close' }));
  }

  async #takeTurn(): Promise<() => void> {
    if (this.#within.getStore()?.open) {
      throw new PismakError(
        'internal',
        'A write from inside a transaction did not use the transaction and would wait for ever. Use the transaction for it.',
      );
    }
    return this.#writing.take();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #link: Link;
  readonly #takeTurn: () => Promise<() => void>;
  /** Set while this connection has an open transaction. */
  #endTurn: (() => void) | undefined;

  constructor(link: Link, takeTurn: () => Promise<() => void>) {
    this.#link = link;
    this.#takeTurn = takeTurn;
  }

  async begin(): Promise<void> {
    this.#endTurn = await this.#takeTurn();
    await this.#link.ask({ kind: 'execute', sql: 'BEGIN IMMEDIATE', parameters: [], scope: 'write' });
  }

  async commit(): Promise<void> {
    await this.#link.ask({ kind: 'execute', sql: 'COMMIT', parameters: [], scope: 'transaction' });
  }

  endTurn(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#statement(query);
    if (statement.scope !== 'write') return this.#execute(statement);
    const endTurn = await this.#takeTurn();
    try {
      return await this.#execute(statement);
    } finally {
      endTurn();
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize = 100): AsyncIterableIterator<QueryResult<R>> {
    const statement = this.#statement(query);
    if (statement.scope === 'write') {
      yield await this.executeQuery<R>(query);
      return;
    }
    const { cursor = 0 } = await this.#link.ask({ kind: 'open-cursor', ...statement });
    try {
      for (let done = false; !done; ) {
        const answer = await this.#link.ask({ kind: 'fetch', cursor, size: chunkSize });
        done = answer.done ?? true;
        yield resultOf(answer);
      }
    } finally {
      await this.#link.ask({ kind: 'close-cursor', cursor });
    }
  }

  async #execute<R>(statement: Statement): Promise<QueryResult<R>> {
    return resultOf(await this.#link.ask({ kind: 'execute', ...statement }));
  }

  #statement({ query, sql, parameters }: CompiledQuery): Statement {
    const reads = query.kind === 'SelectQueryNode' || /^\s*select\b/i.test(sql);
    return { sql, parameters, scope: this.#endTurn ? 'transaction' : reads ? 'read' : 'write' };
  }
}

/** The caller's types describe the rows; Kysely relies on that. */
function resultOf<R>({ rows, changes }: SqliteAnswer): QueryResult<R> {
  return changes === undefined
    ? { rows: rows as R[] }
    : { rows: rows as R[], numAffectedRows: BigInt(changes) };
}
