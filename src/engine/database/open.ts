import type { Clock } from '../clock.ts';
import { PismakError } from '../errors.ts';
import type { Database } from './database.ts';
import { frame } from './migrations/0001-frame.ts';

const engineMigrations = [frame];

/** Schemes of URLs that choose an adapter. */
export const databaseSchemes = ['sqlite', 'postgres'] as const;

/** Opens the adapter that the URL asks for, with the engine's tables; `file` is where an embedded one lives. */
export async function openDatabase(url: string, parts: { file: string; clock: Clock }): Promise<Database> {
  const database = await openAdapter(url, parts);
  await database.migrate(engineMigrations);
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
    `no database for ${scheme}:; there are ${databaseSchemes.join(', ')}`,
  );
}
