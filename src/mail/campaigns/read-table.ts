import { access } from 'node:fs/promises';
import { streamPostgres } from '../../engine/database/postgres/stream-query.ts';
import { streamSqlite } from '../../engine/database/sqlite/stream-query.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { hasCode, messageOf, PismakError } from '../../engine/ground/errors.ts';
import { masked } from '../smtp/server-url.ts';
import type { Person } from './read-audience.ts';

interface AudienceQuery {
  url: string;
  query: string;
}

/** Streams a query of a foreign database, read-only. */
export async function* readTable({ url, query: written }: AudienceQuery): AsyncGenerator<Person> {
  const query = written.trim().replace(/;$/, '');
  if (/^(mysql|mariadb):/.test(url)) {
    const { readMysql } = await import('./read-mysql.ts');
    return yield* readMysql({ url, query });
  }
  const isSqlite = url.startsWith('sqlite:');
  const file = url.slice('sqlite:'.length);
  const place = `the audience at ${isSqlite ? file : masked(url)}`;
  if (isSqlite)
    await access(file).catch((error: unknown) => {
      throw new PismakError('unavailable', `${place} can't be read: ${reasonOf(error)}`, { cause: error });
    });
  try {
    // The administrator wrote the query: it is in the settings.
    yield* isSqlite ? streamSqlite(file, query) : streamPostgres(url, query);
  } catch (error) {
    // The author of the query needs the database's message.
    if (hasCode(error, 'internal') && error instanceof Error && error.cause)
      throw new PismakError('invalid-input', `${place} refuses the query: ${messageOf(error.cause)}`, {
        cause: error,
      });
    throw error;
  }
}
