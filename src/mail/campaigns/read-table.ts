import { access } from 'node:fs/promises';
import { streamPostgres } from '../../engine/database/postgres/stream-query.ts';
import { streamSqlite } from '../../engine/database/sqlite/stream-query.ts';
import { hasCode, messageOf, PismakError } from '../../engine/errors.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { masked } from '../smtp/server-url.ts';
import type { Person } from './read-audience.ts';

interface AudienceQuery {
  url: string;
  query: string;
}

/** Streams a query of somebody else's database, which it can't change. */
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
    // The administrator wrote the query: settings are his.
    yield* isSqlite ? streamSqlite(file, query) : streamPostgres(url, query);
  } catch (error) {
    // What the database says about the query is for whoever wrote it.
    if (hasCode(error, 'internal') && error instanceof Error && error.cause)
      throw new PismakError('invalid-input', `${place} refuses the query: ${messageOf(error.cause)}`, {
        cause: error,
      });
    throw error;
  }
}
