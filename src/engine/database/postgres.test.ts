import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { hasCode } from '../ground/errors.ts';
import { eventually } from '../testing/eventually.ts';
import { startPostgres } from '../testing/servers/postgres.ts';
import { settledThrough, willAppend } from './growing-list.ts';
import { engineMigrations } from './open.ts';
import { openPostgresDatabase } from './postgres.ts';
import { migrationContract } from './testing/contract/migrations.ts';
import { readContract } from './testing/contract/reads.ts';
import { databaseContract } from './testing/contract.ts';

const server = await startPostgres();
after(() => server.close());

const create = async (_: TestContext) => {
  const url = await server.createDatabase();
  return () => openPostgresDatabase({ url });
};
databaseContract('PostgreSQL', create);
migrationContract('PostgreSQL', create);
readContract('PostgreSQL', create, async ({ query }) => {
  const { rows } = await sql`SELECT 1 FROM pg_stat_activity WHERE "state" = 'active'
    AND "datname" = current_database() AND "query" LIKE 'WITH RECURSIVE counted%'`.execute(query);
  return rows.length;
});

const secret = (name: string) => ({ name, value: 'b', createdAt: 1 });

async function openWithTables(context: TestContext) {
  const database = await (await create(context))();
  context.after(() => database.close());
  await database.migrate(engineMigrations);
  return database;
}

describe('the database on PostgreSQL', () => {
  test('when two transactions decide on what they read, one of them runs again', async (context) => {
    const database = await openWithTables(context);
    const bothHaveRead = Promise.withResolvers<void>();
    let readers = 0;
    const takeIfFree = (name: string) =>
      database.transaction(async (transaction) => {
        const taken = await transaction.selectFrom('secret').select('name').execute();
        if (++readers === 2) bothHaveRead.resolve();
        await bothHaveRead.promise;
        if (taken.length === 0) await transaction.insertInto('secret').values(secret(name)).execute();
      });
    await Promise.all([takeIfFree('a'), takeIfFree('a')]);
    assert.equal((await database.query.selectFrom('secret').select('name').execute()).length, 1);
    readers = 0;
    await database.query.deleteFrom('secret').execute();
    await Promise.all([takeIfFree('a'), takeIfFree('b')]);
    assert.equal((await database.query.selectFrom('secret').select('name').execute()).length, 1);
  });

  test('a transaction that swallows a failed statement still fails with its error', async (context) => {
    const database = await openWithTables(context);
    const work = database.transaction(async (transaction) => {
      await transaction.insertInto('secret').values(secret('a')).execute();
      await transaction
        .insertInto('secret')
        .values(secret('a'))
        .execute()
        .catch(() => {});
    });
    await assert.rejects(work, (error) => hasCode(error, 'constraint-violated'));
    assert.deepEqual(await database.query.selectFrom('secret').selectAll().execute(), []);
  });

  test('many transactions that also read outside themselves do not deadlock', async (context) => {
    const database = await openWithTables(context);
    const work = (_: unknown, number: number) =>
      database.transaction(async (transaction) => {
        await transaction
          .insertInto('secret')
          .values(secret(`n${number}`))
          .execute();
        await database.query.selectFrom('stage').selectAll().execute();
      });
    await Promise.all(Array.from({ length: 30 }, work));
    assert.equal((await database.query.selectFrom('secret').select('name').execute()).length, 30);
  });

  test('transactions append to a list side by side; a reader waits for them, but not for ever', async (context) => {
    const database = await openWithTables(context);
    const both = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    let appending = 0;
    const append = () =>
      database.transaction(async (transaction) => {
        await willAppend(database, transaction, 'list');
        if (++appending === 2) both.resolve();
        await mayEnd.promise;
      });
    const ended = Promise.all([append(), append()]);
    await both.promise;
    const settled = (list: string) => settledThrough(database, list, async () => 7, 20);
    await assert.rejects(settled('list'), (error) => hasCode(error, 'unavailable'));
    assert.equal(await settled('other list'), 7);
    mayEnd.resolve();
    await ended;
    assert.equal(await settled('list'), 7);
  });

  test('values that PostgreSQL can’t store are the caller’s fault, not an internal error', async (context) => {
    const database = await openWithTables(context);
    const add = (owner: string, count: number) =>
      database.query.insertInto('usage').values({ owner, kind: 'k', month: 'm', count }).execute();
    await assert.rejects(add('a\0b', 1), { code: 'invalid-input', message: /NUL/ });
    await assert.rejects(add('a', 2 ** 64), { code: 'invalid-input', message: /larger/ });
    const long = Array.from({ length: 20_000 }, (_, n) => (n * 7919).toString(36)).join('');
    await assert.rejects(add(long, 1), { code: 'invalid-input', message: /too long/ });
  });

  test('who listens hears of commits of other processes, and again after a lost connection', async (context) => {
    const url = await server.createDatabase();
    const [here, there] = [await openPostgresDatabase({ url }), await openPostgresDatabase({ url })];
    context.after(() => Promise.all([here.close(), there.close()]));
    let heard = 0;
    const listening = await here.listen?.('news', () => heard++);
    assert.ok(listening);
    assert.equal(heard, 1, 'something may have been said before');
    const say = sql`SELECT pg_notify('news', '')`;
    await say.execute(there.query);
    await eventually('it is heard', () => heard === 2);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%'`.execute(there.query);
    await eventually('something may have been missed', () => heard === 3);
    await say.execute(there.query);
    await eventually('it is heard', () => heard === 4);
    await listening.close();
  });

  test('sums are numbers', async (context) => {
    const database = await openWithTables(context);
    const { rows } = await sql<{
      sum: number;
    }>`SELECT SUM(x::BIGINT) AS sum FROM generate_series(1, 4) x`.execute(database.query);
    assert.deepEqual(rows, [{ sum: 10 }]);
  });

  test('a wrong password or database is refused at once, and no error shows the password', async () => {
    const url = server.url.replace(/:[^:@]*@/, ':hunter2@');
    for (const wrong of [
      url,
      url.replace(/\/postgres$/, '/nowhere'),
      server.url.replace(/\/postgres$/, '/nowhere'),
    ]) {
      await assert.rejects(openPostgresDatabase({ url: wrong }), (error) => {
        assert.ok(hasCode(error, 'configuration-invalid'));
        assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter2/);
        return true;
      });
    }
  });

  test('when the server is killed, it comes back with every resolved transaction and no half of one', async (context) => {
    const database = await openWithTables(context);
    let resolved = 0;
    let going = true;
    const writer = async (line: number) => {
      for (let number = 0; going; number++) {
        const store = database.transaction(async (transaction) => {
          await transaction
            .insertInto('secret')
            .values(secret(`${line}-${number}-first`))
            .execute();
          await transaction
            .insertInto('secret')
            .values(secret(`${line}-${number}-second`))
            .execute();
        });
        await store.then(
          () => resolved++,
          (error) => {
            assert.ok(hasCode(error, 'unavailable'), inspect(error));
            going = false;
          },
        );
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(writer));
    await eventually('something is stored', () => resolved > 20);
    await server.primary.kill();
    await writers;
    await assert.rejects(database.query.selectFrom('secret').selectAll().execute(), (error) =>
      hasCode(error, 'unavailable'),
    );
    await server.primary.start();
    const rows = await database.query.selectFrom('secret').select('name').execute();
    assert.ok(rows.length / 2 >= resolved, `${resolved} resolved, ${rows.length / 2} are there`);
    assert.ok(rows.length / 2 <= resolved + 4, 'at most those under way in addition');
    assert.equal(rows.length % 2, 0);
  });

  test('when a connection is cut, its stream or transaction fails with `unavailable`, and the next one succeeds', async (context) => {
    const database = await openWithTables(context);
    const cutOthers = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const cut = async () => void (await cutOthers.execute(database.query));
    const lines = sql<{ x: number }>`(SELECT x FROM generate_series(1, 100000) x)`;
    const streaming = async () => {
      for await (const { x } of database.query.selectFrom(lines.as('lines')).select('x').stream(10)) {
        if (x === 1) await cut();
      }
    };
    await assert.rejects(streaming(), (error) => hasCode(error, 'unavailable'));
    const work = database.transaction(async (transaction) => {
      await transaction.insertInto('secret').values(secret('a')).execute();
      await cut();
      await transaction.insertInto('secret').values(secret('b')).execute();
    });
    await assert.rejects(work, (error) => hasCode(error, 'unavailable'));
    await database.transaction((transaction) =>
      transaction.insertInto('secret').values(secret('c')).execute(),
    );
    assert.deepEqual(await database.query.selectFrom('secret').select('name').execute(), [{ name: 'c' }]);
  });
});
