import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { answerQuestions } from './thread-link.ts';

/** Questions to the thread that has a database file open. */
export type SqliteQuestion =
  | { kind: 'open'; file: string }
  | ({ kind: 'execute' } & Statement)
  | { kind: 'rollback' }
  | ({ kind: 'open-cursor' } & Statement)
  | { kind: 'fetch'; cursor: number; size: number }
  | { kind: 'close-cursor'; cursor: number }
  | { kind: 'snapshot'; file: string }
  | { kind: 'close' };

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /**
   * `read` uses its own connection, so that it neither waits for an open transaction nor sees into it; `write` is its own
   * transaction; `transaction` belongs to the open one.
   */
  scope: 'read' | 'write' | 'transaction';
}

export interface SqliteAnswer {
  rows: Record<string, unknown>[];
  changes?: number;
  cursor?: number;
  done?: boolean;
}

const statementsKept = 200;
const nothing: SqliteAnswer = { rows: [] };

class Connection {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, readOnly: boolean) {
    this.database = new DatabaseSync(file, { readOnly, timeout: 5000, enableForeignKeyConstraints: true });
  }

  execute(sql: string, parameters: readonly unknown[]): SqliteAnswer {
    const statement = this.#prepare(sql);
    // The driver refuses values that it can't bind.
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  /** Evicts the least recently used first: a Map keeps insertion order. */
  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    const statement = known ?? this.database.prepare(sql);
    if (known) this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > statementsKept) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    return statement;
  }
}

interface Cursor {
  rows: Iterator<Record<string, unknown>>;
  close(): void;
}

let file = '';
let writer: Connection;
let reader: Connection;
let lastCursor = 0;
const cursors = new Map<number, Cursor>();

answerQuestions((question: SqliteQuestion): SqliteAnswer => {
  switch (question.kind) {
    case 'open':
      open(question.file);
      return nothing;
    case 'execute':
      return connectionFor(question).execute(question.sql, question.parameters);
    case 'rollback':
      // After some failures (disk full) SQLite has already rolled back.
      if (writer.database.isTransaction) writer.database.exec('ROLLBACK');
      return nothing;
    case 'open-cursor':
      cursors.set(++lastCursor, openCursor(question));
      return { rows: [], cursor: lastCursor };
    case 'fetch':
      return fetchRows(question.cursor, question.size);
    case 'close-cursor':
      closeCursor(question.cursor);
      return nothing;
    case 'snapshot':
      return reader.execute('VACUUM INTO ?', [question.file]);
    case 'close':
      for (const cursor of [...cursors.keys()]) closeCursor(cursor);
      reader.database.close();
      writer.database.close();
      return nothing;
  }
});

function open(path: string): void {
  file = path;
  writer = new Connection(file, false);
  writer.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  // 16 MB. With the usual 4 MB, a transaction of a thousand rows copies the journal into the file each time, and waits for it.
  writer.database.exec('PRAGMA wal_autocheckpoint = 4000');
  reader = new Connection(file, true);
}

function connectionFor(statement: Statement): Connection {
  if (statement.scope === 'read') return reader;
  // Statements of a rolled-back transaction must not continue as single writes.
  if (statement.scope === 'transaction' && !writer.database.isTransaction) {
    throw new Error('an earlier failure rolled back the transaction');
  }
  return writer;
}

/** A cursor outside a transaction gets its own connection: on a shared one it would freeze what others see. */
function openCursor(statement: Statement): Cursor {
  const own = statement.scope === 'read' ? new Connection(file, true).database : undefined;
  const database = own ?? connectionFor(statement).database;
  const rows = database.prepare(statement.sql).iterate(...(statement.parameters as SQLInputValue[]));
  return {
    rows,
    close() {
      rows.return?.();
      own?.close();
    },
  };
}

function fetchRows(id: number, size: number): SqliteAnswer {
  const cursor = cursors.get(id);
  if (!cursor) throw new Error('the result was closed');
  const rows: Record<string, unknown>[] = [];
  while (rows.length < size) {
    const next = cursor.rows.next();
    if (next.done) return { rows, done: true };
    rows.push(next.value);
  }
  return { rows, done: false };
}

function closeCursor(id: number): void {
  cursors.get(id)?.close();
  cursors.delete(id);
}
