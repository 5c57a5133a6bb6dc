import { sql } from 'kysely';
import { openPostgresDatabase } from '../../engine/database/postgres.ts';
import { streamSqlite } from '../../engine/database/sqlite/stream-query.ts';
import type { Person } from './read-audience.ts';

const rowsAtOnce = 1000;

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
  if (!url.startsWith('sqlite:')) return yield* readPostgres({ url, query });
  yield* streamSqlite(url.slice('sqlite:'.length), query, rowsAtOnce);
}

/**
 * Streams a query of somebody else's PostgreSQL by a cursor: a thousand rows at a time, whatever their number, in a
 * transaction that can change nothing.
 */
async function* readPostgres({ url, query }: AudienceQuery): AsyncGenerator<Person> {
  const database = await openPostgresDatabase({ url });
  try {
    const transaction = await database.query.startTransaction().setAccessMode('read only').execute();
    try {
      // The administrator wrote the query: settings are his.
      await sql`DECLARE audience NO SCROLL CURSOR FOR ${sql.raw(query)}`.execute(transaction);
      for (;;) {
        const { rows } = await sql<Person>`FETCH ${sql.lit(rowsAtOnce)} FROM audience`.execute(transaction);
        yield* rows;
        if (rows.length < rowsAtOnce) return;
      }
    } finally {
      await transaction
        .rollback()
        .execute()
        .catch(() => {
          // The connection is gone, and the transaction with it.
        });
    }
  } finally {
    await database.close();
  }
}
