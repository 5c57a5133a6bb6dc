import { PismakError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Database } from './database.ts';
import { frame } from './migrations/0001-frame.ts';
import { trace } from './migrations/0002-trace.ts';
import { transcription } from './migrations/0002-transcription.ts';
import { uploads } from './migrations/0003-uploads.ts';
import { storedBytes } from './migrations/0004-stored-bytes.ts';
import { databaseSchemes } from './schemes.ts';

export const engineMigrations = [frame, trace, transcription, uploads, storedBytes];

/** Opens the adapter that the URL asks for, with the engine's tables; `file` is where an embedded one lives. */
export async function openDatabase(url: string, parts: { file: string; clock: Clock }): Promise<Database> {
  const database = await openAdapter(url, parts);
  try {
    await database.migrate(engineMigrations);
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
    `no database for ${scheme}:; there are ${databaseSchemes.join(', ')}`,
  );
}
