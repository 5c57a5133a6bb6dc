import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { hasCode } from '../../../ground/errors.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Database, Queries } from '../../database.ts';
import { engineMigrations } from '../../open.ts';
import type { OpenDatabase } from '../contract.ts';

/** Never ends by itself, on any database. */
const endless = (queries: Queries) =>
  sql`WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT (n + 1) % 1000 FROM counted)
    SELECT COUNT(*) AS "count" FROM counted`.execute(queries);
const names = async (queries: Queries) =>
  (await queries.selectFrom('secret').select('name').orderBy('name').execute()).map(({ name }) => name);
const secret = (name: string) => ({ name, value: 'x', createdAt: 1 });

/** Tests what every Database adapter must do with expensive reads. `running` counts those that the server still works on. */
export function readContract(
  adapter: string,
  create: (test: TestContext) => Promise<OpenDatabase>,
  running: (database: Database) => Promise<number>,
): void {
  const claim = (what: string, check: (database: Database) => Promise<void>): void => {
    test(what, async (context) => {
      const database = await (await create(context))();
      try {
        await database.migrate(engineMigrations);
        await database.query.insertInto('secret').values(secret('a')).execute();
        await check(database);
      } finally {
        await database.close();
      }
    });
  };

  describe(`expensive reads: ${adapter}`, () => {
    claim('a read sees what was committed before, and can change nothing', async (database) => {
      const owner = 'anna';
      assert.deepEqual(await database.read({ owner }, names), ['a']);
      await database.query.insertInto('secret').values(secret('b')).execute();
      assert.deepEqual(await database.read({ owner }, names), ['a', 'b']);
      await assert.rejects(
        database.read({ owner }, (queries) => queries.insertInto('secret').values(secret('c')).execute()),
      );
      await assert.rejects(
        database.read({ owner }, async () => assert.fail('of its own')),
        /of its own/,
      );
      assert.deepEqual(await names(database.query), ['a', 'b']);
    });

    claim(
      'a read past its deadline is refused and stopped; meanwhile others read and write',
      async (database) => {
        const reading = database.read({ owner: 'anna', deadlineMs: 4000 }, endless);
        const refused = assert.rejects(reading, (error) => {
          assert.ok(hasCode(error, 'took-too-long'), String(error));
          return true;
        });
        await eventually('the read runs', async () => (await running(database)) === 1);
        await database.query.insertInto('secret').values(secret('b')).execute();
        assert.deepEqual(await names(database.query), ['a', 'b']);
        assert.deepEqual(await database.read({ owner: 'bert' }, names), ['a', 'b']);
        await refused;
        await eventually('the server has stopped', async () => (await running(database)) === 0);
        assert.deepEqual(await database.read({ owner: 'anna' }, names), ['a', 'b']);
      },
    );

    claim('a read whose caller leaves is stopped', async (database) => {
      const caller = new AbortController();
      const reading = database.read({ owner: 'anna', signal: caller.signal }, endless);
      const left = assert.rejects(reading, /gone/);
      await eventually('the read runs', async () => (await running(database)) === 1);
      caller.abort(new Error('gone'));
      await left;
      await eventually('the server has stopped', async () => (await running(database)) === 0);
      await assert.rejects(database.read({ owner: 'anna', signal: caller.signal }, names), /gone/);
    });

    claim('one owner’s reads leave room for the others, and only so many wait', async (database) => {
      const caller = new AbortController();
      const { signal } = caller;
      const many = Array.from({ length: 40 }, () => database.read({ owner: 'anna', signal }, endless));
      const outcomes = Promise.allSettled(many);
      await eventually('two reads run', async () => (await running(database)) === 2);
      assert.deepEqual(await database.read({ owner: 'bert' }, names), ['a']);
      caller.abort(new Error('gone'));
      const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason);
      assert.equal(reasons.filter((reason) => hasCode(reason, 'unavailable')).length, 18);
      assert.equal(
        reasons.filter((reason) => reason instanceof Error && reason.message === 'gone').length,
        22,
      );
      await eventually('the server has stopped', async () => (await running(database)) === 0);
    });

    claim('a closed database answers `unavailable`, and stops reads under way', async (database) => {
      const reading = assert.rejects(database.read({ owner: 'anna', deadlineMs: 60_000 }, endless));
      await eventually('the read runs', async () => (await running(database)) === 1);
      await Promise.all([database.close(), reading]);
      await assert.rejects(database.read({ owner: 'anna' }, names), (error) => hasCode(error, 'unavailable'));
    });
  });
}
