import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Database, MigrationLine } from './database.ts';
import { frame } from './migrations/0001-frame.ts';
import { accounts } from './migrations/0010-accounts.ts';
import { turns } from './migrations/0020-turns.ts';
import { rights } from './migrations/0030-rights.ts';
import { machine } from './migrations/0040-machine.ts';
import { schedules } from './migrations/0050-schedules.ts';
import { uploads } from './migrations/0060-uploads.ts';
import { changes } from './migrations/0070-changes.ts';
import { history } from './migrations/0080-history.ts';
import { viewsAndFailures } from './migrations/0090-views-and-failures.ts';
import { colleagues } from './migrations/0100-colleagues.ts';
import { databaseSchemes } from './schemes.ts';

const migrations = [
  ...[frame, accounts, turns, rights, machine, schedules, uploads],
  ...[changes, history, viewsAndFailures, colleagues],
];
export const engineMigrations: MigrationLine = { name: 'engine', migrations };

export interface OpenDatabaseParts {
  /** The file of an embedded database. */
  file: string;
  clock: Clock;
  /** The migration lines of the houses, which run after the engine's. */
  lines?: readonly MigrationLine[];
  /** Don't change the schema, only check that it is complete. */
  onlyCheck?: boolean;
}

/** Opens the adapter that the URL selects, with the tables of the engine and the houses. */
export async function openDatabase(url: string, parts: OpenDatabaseParts): Promise<Database> {
  const database = await openAdapter(url, parts);
  try {
    for (const line of [engineMigrations, ...(parts.lines ?? [])]) {
      await (parts.onlyCheck ? database.checkMigrated(line) : database.migrate(line));
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function openAdapter(url: string, parts: { file: string; clock: Clock }): Promise<Database> {
  const [scheme] = url.split(':', 1);
  switch (scheme) {
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqliteDatabase(parts);
    case 'postgres':
      return (await import('./postgres.ts')).openPostgresDatabase({ url, clock: parts.clock });
  }
  throw new PismakError(
    'configuration-invalid',
    `Unknown database scheme "${scheme}". Use one of ${databaseSchemes.join(', ')}.`,
  );
}
