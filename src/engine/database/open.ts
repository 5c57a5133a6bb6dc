import type { Clock } from '../clock.ts';
import { PismakError } from '../errors.ts';
import type { Database } from './database.ts';
import { frame } from './migrations/0001-frame.ts';
import { openSqliteDatabase } from './sqlite.ts';

const engineMigrations = [frame];

/** Opens the adapter that the URL asks for, with the engine's tables; `file` is where an embedded one lives. */
export async function openDatabase(url: string, parts: { file: string; clock: Clock }): Promise<Database> {
  const [scheme] = url.split(':', 1);
  if (scheme !== 'sqlite') {
    throw new PismakError('configuration-invalid', `no database for ${scheme}:; there is sqlite:`);
  }
  const database = await openSqliteDatabase(parts);
  await database.migrate(engineMigrations);
  return database;
}
