import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { openPostgresDatabase } from '../../engine/database/postgres.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { readTable } from './read-table.ts';

const postgres = await sharedPostgres();
after(() => postgres.close());

async function read(url: string, query: string): Promise<unknown> {
  const people = await Array.fromAsync(readTable({ url, query }));
  return JSON.parse(JSON.stringify(people));
}

test('dates, prices and large numbers of PostgreSQL arrive as the shop has them', async () => {
  const url = await postgres.createDatabase();
  const values = `date '2026-01-01' AS day, timestamp '2026-01-01 10:00' AS at, 9007199254740993::bigint AS large, 7::bigint AS small,
    1.10::numeric AS price, true AS isNew, '{"a": 1}'::jsonb AS more, NULL AS nothing`;
  assert.deepEqual(await read(url, `SELECT 'a@example.org' AS email, ${values}`), [
    {
      email: 'a@example.org',
      day: '2026-01-01',
      at: '2026-01-01 10:00:00',
      large: '9007199254740993',
      small: 7,
      price: '1.10',
      isnew: true,
      more: { a: 1 },
      nothing: null,
    },
  ]);
});

test('a server that only reads will do, and nothing changes what is in it', async (t) => {
  const url = await postgres.createDatabase();
  const shop = await openPostgresDatabase({ url });
  t.after(() => shop.close());
  await sql`CREATE TABLE person (email TEXT)`.execute(shop.query);
  await sql`INSERT INTO person VALUES ('a@example.org')`.execute(shop.query);
  const queries = ['DELETE FROM person', 'SELECT email FROM person; COMMIT; DROP TABLE person'];
  for (const query of queries)
    await assert.rejects(read(url, query), (error) => hasCode(error, 'invalid-input'));
  const [, database = ''] = /([^/?]+)(\?.*)?$/.exec(url) ?? [];
  await sql`ALTER DATABASE ${sql.id(database)} SET default_transaction_read_only = on`.execute(shop.query);
  assert.deepEqual(await read(url, 'SELECT email FROM person'), [{ email: 'a@example.org' }]);
});

test('a mistake in the query is named, also if it shows late: it is no reason to try again', async () => {
  const url = await postgres.createDatabase();
  const late = 'SELECT n AS email, 1 / (3000 - n) FROM generate_series(1, 5000) n';
  const isWrong = (why: RegExp) => (error: Error) =>
    hasCode(error, 'invalid-input') && why.test(error.message);
  await assert.rejects(
    read(url, 'SELECT email FROM nobody'),
    isWrong(/refuses the query: relation "nobody" does not exist/),
  );
  await assert.rejects(read(url, late), isWrong(/division by zero/));
});

test('a connection that the server ends in the middle is a reason to try again', async (t) => {
  const url = await postgres.createDatabase();
  const shop = await openPostgresDatabase({ url });
  t.after(() => shop.close());
  const people = readTable({ url, query: 'SELECT n AS email FROM generate_series(1, 5000) n' });
  await people.next();
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'FETCH%'`.execute(
    shop.query,
  );
  await assert.rejects(Array.fromAsync(people), (error) => hasCode(error, 'unavailable'));
});

test('SQLite: large numbers stay whole; what is wrong with the file or the query is said', async (t) => {
  const file = join(await temporaryDirectory(t), 'shop.db');
  const shop = new DatabaseSync(file);
  shop.exec(`CREATE TABLE person (email TEXT, large INTEGER, small INTEGER);
    INSERT INTO person VALUES (NULL, 9007199254740993, 7)`);
  shop.close();
  const url = `sqlite:${file}`;
  assert.deepEqual(await read(url, 'SELECT * FROM person'), [
    { email: null, large: '9007199254740993', small: 7 },
  ]);
  await assert.rejects(
    read(url, 'SELECT * FROM nobody'),
    /shop\.db refuses the query: no such table: nobody/,
  );
  await assert.rejects(read(`${url}x`, 'SELECT 1'), /shop\.dbx can't be read: there is no such file/);
});
