import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { Migration } from '../../src/engine/database/database.ts';
import { engineMigrations, openDatabase } from '../../src/engine/database/open.ts';
import { hasCode } from '../../src/engine/ground/errors.ts';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { systemClock } from '../../src/engine/time/clock.ts';

/** What a later version may do: add a table, and a column that has a default. */
const additive: Migration = {
  name: '9998-later',
  async up(transaction) {
    await sql`CREATE TABLE "later" ("name" TEXT PRIMARY KEY)`.execute(transaction);
    await sql`ALTER TABLE "outbox" ADD COLUMN "later" TEXT NOT NULL DEFAULT 'none'`.execute(transaction);
  },
};
/** What it may not, without saying so. */
const breaking: Migration = {
  name: '9999-later!',
  async up(transaction) {
    await sql`ALTER TABLE "outbox" RENAME COLUMN "body" TO "content"`.execute(transaction);
  },
};

const row = { id: '1', queue: 'letters', messageId: 'm1', lane: 'high', headersJson: '{}', createdAt: 1 };

async function both(t: TestContext, url: string): Promise<void> {
  const open = async () => openDatabase(url, { file: join(await directory, 'state.db'), clock: systemClock });
  const directory = temporaryDirectory(t);
  const later = await open();
  await later.migrate({ ...engineMigrations, migrations: [...engineMigrations.migrations, additive] });
  await later.close();

  const now = await open();
  await now.query
    .insertInto('outbox')
    .values({ ...row, body: Buffer.from('body') })
    .execute();
  const [stored] = await sql<{ later: string }>`SELECT "later" FROM "outbox"`
    .execute(now.query)
    .then(({ rows }) => rows);
  assert.equal(stored?.later, 'none', 'what this version does not know has its default');
  await now.close();

  const evenLater = await open();
  await evenLater.migrate({
    ...engineMigrations,
    migrations: [...engineMigrations.migrations, additive, breaking],
  });
  await evenLater.close();
  await assert.rejects(open(), (error) => {
    assert.ok(hasCode(error, 'unavailable'));
    assert.match(error.message, /9999-later!/);
    return true;
  });
}

test('this version works on an SQLite database that a later one has added to, and refuses one that it has changed', (t) =>
  both(t, 'sqlite:'));

test('this version works on a PostgreSQL database that a later one has added to, and refuses one that it has changed', async (t) => {
  const server = await sharedPostgres();
  t.after(() => server.close());
  await both(t, await server.createDatabase());
});
