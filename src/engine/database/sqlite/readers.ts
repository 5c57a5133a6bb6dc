import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { Queries } from '../database.ts';
import { type ReadLimits, readInTurn } from '../read-in-turn.ts';
import type { EngineTables } from '../tables.ts';
import { ConcurrentSqliteAdapter } from './driver.ts';
import { ReaderProcess } from './reader-process.ts';

const idleMs = 30_000;

/** Processes that read the file, started when needed and ended when idle. */
export class SqliteReaders {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #turns: ReturnType<typeof readInTurn>;
  readonly #idle: { reader: ReaderProcess; cancel: () => void }[] = [];
  readonly #all = new Set<ReaderProcess>();
  #closed = false;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#turns = readInTurn(clock);
  }

  read<T>(limits: ReadLimits, work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#turns(limits, async (signal) => {
      const reader = this.#take();
      const stop = () => reader.kill();
      signal.addEventListener('abort', stop, { once: true });
      try {
        return await work(queriesOn(reader));
      } finally {
        signal.removeEventListener('abort', stop);
        this.#giveBack(reader);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#idle.splice(0)) cancel();
    await Promise.all([...this.#all].map((reader) => reader.end()));
  }

  #take(): ReaderProcess {
    if (this.#closed) throw new PismakError('unavailable', 'The database is closed.');
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      idle.cancel();
      if (idle.reader.alive) return idle.reader;
    }
    const reader = new ReaderProcess(this.#file);
    this.#all.add(reader);
    void reader.exited.then(() => this.#all.delete(reader));
    return reader;
  }

  #giveBack(reader: ReaderProcess): void {
    if (!reader.alive || this.#closed) return;
    const idle = { reader, cancel: this.#clock.after(idleMs, () => this.#end(reader)) };
    this.#idle.push(idle);
  }

  #end(reader: ReaderProcess): void {
    const place = this.#idle.findIndex((idle) => idle.reader === reader);
    if (place >= 0) this.#idle.splice(place, 1);
    reader.kill();
  }
}

function queriesOn(reader: ReaderProcess): Queries {
  return new Kysely<EngineTables>({
    dialect: {
      createDriver: () => new ReaderDriver(reader),
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    },
  });
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(reader: ReaderProcess) {
    this.#connection = {
      executeQuery: ask,
      async *streamQuery<R>(query: CompiledQuery) {
        yield await ask<R>(query);
      },
    };
    async function ask<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // The caller's types describe the rows; Kysely relies on that.
      return { rows: (await reader.ask({ sql, parameters })).rows as R[] };
    }
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new PismakError('internal', 'Reads have no transactions.');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
