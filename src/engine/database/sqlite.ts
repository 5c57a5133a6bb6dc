import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { createPrivateFile } from '../files/private-file.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { isSystemError } from '../files/system-error.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Database } from './database.ts';
import { checkMigrations, runMigrations } from './migrate.ts';
import { ConcurrentSqliteAdapter, SqliteThreadDriver } from './sqlite/driver.ts';
import { sqliteError } from './sqlite/errors.ts';
import { SqliteReaders } from './sqlite/readers.ts';
import type { SqliteAnswer, SqliteQuestion } from './sqlite/thread.ts';
import { startThread } from './sqlite/thread-link.ts';
import type { EngineTables } from './tables.ts';

/** A database in one file, which one thread of this process holds open. `migrate` creates the schema. */
export async function openSqliteDatabase(options: { file: string; clock?: Clock }): Promise<Database> {
  const { file, clock = systemClock } = options;
  await createPrivateFile(file);
  const link = await openThread(file);
  const driver = new SqliteThreadDriver(link);
  const readers = new SqliteReaders(file, clock);
  const query = new Kysely<EngineTables>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    },
  });

  const database: Database = {
    dialect: 'sqlite',
    query,
    transaction: (work) =>
      query.transaction().execute((transaction) => driver.insideTransaction(() => work(transaction))),
    read: (limits, work) => readers.read(limits, work),
    migrate: (line) => runMigrations(database, line, () => clock.now()),
    checkMigrated: (line) => checkMigrations(database, line),
    // Tables are only types: at run time this is the same object.
    withTables: <Tables>() => database as Database<Tables>,
    snapshot: (copy) => writeSnapshot(file, copy),
    async close() {
      await readers.close();
      await driver.destroy();
    },
  };
  return database;
}

async function openThread(file: string) {
  const link = startThread<SqliteQuestion, SqliteAnswer>(new URL('./sqlite/thread.ts', import.meta.url), {
    what: 'The database',
    revive: sqliteError,
  });
  try {
    await link.ask({ kind: 'open', file });
  } catch (error) {
    await link.close({ kind: 'close' }).catch(() => {});
    throw error;
  }
  return link;
}

/** Copies in a separate thread: a large file takes seconds, and queries continue meanwhile. */
async function writeSnapshot(file: string, copy: string): Promise<void> {
  const target = await open(copy, 'wx', 0o600).catch((error) => {
    throw isSystemError(error, 'EEXIST')
      ? new PismakError('already-exists', `${copy} already exists. Choose another name for the copy.`)
      : new PismakError('invalid-input', `${copy} cannot be written: ${messageOf(error)}`, { cause: error });
  });
  try {
    const link = await openThread(file);
    try {
      await link.ask({ kind: 'snapshot', file: copy });
    } finally {
      await link.close({ kind: 'close' });
    }
    await target.sync();
  } finally {
    await target.close();
  }
  await syncDirectory(dirname(copy));
}
