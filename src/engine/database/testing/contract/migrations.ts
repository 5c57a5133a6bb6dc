import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { hasCode } from '../../../ground/errors.ts';
import type { Migration } from '../../database.ts';
import { frame } from '../../migrations/0001-frame.ts';
import type { OpenDatabase } from '../contract.ts';

const line = (migrations: readonly Migration[], name = 'engine') => ({ name, migrations });

/** Tests what every Database adapter must do with migrations. */
export function migrationContract(
  adapter: string,
  create: (test: TestContext) => Promise<OpenDatabase>,
): void {
  describe(`Database: migrations on ${adapter}`, () => {
    test('migrations run once each, in name order', async (context) => {
      const database = await (await create(context))();
      const ran: string[] = [];
      const step = (name: string): Migration => ({ name, up: async () => void ran.push(name) });
      await database.migrate(line([step('0002-second'), step('0001-first')]));
      await database.migrate(line([step('0001-first'), step('0002-second'), step('0003-third')]));
      assert.deepEqual(ran, ['0001-first', '0002-second', '0003-third']);
      await database.close();
    });

    test('a migration that fails leaves nothing and runs again next time', async (context) => {
      const database = await (await create(context))();
      let broken = true;
      const step: Migration = {
        name: '0001-shaky',
        async up(transaction) {
          await sql`CREATE TABLE "half" ("n" BIGINT)`.execute(transaction);
          if (broken) throw new Error('power cut');
        },
      };
      await assert.rejects(database.migrate(line([step])), /power cut/);
      broken = false;
      await database.migrate(line([step]));
      await sql`SELECT "n" FROM "half"`.execute(database.query);
      await database.close();
    });

    test('an older version opens the schema of a newer one', async (context) => {
      const open = await create(context);
      const newer = await open();
      await newer.migrate(line([frame, { name: '0002-newer', up: async () => {} }]));
      await newer.close();
      const older = await open();
      await older.migrate(line([frame]));
      assert.deepEqual(await older.query.selectFrom('stage').selectAll().execute(), []);
      await older.close();
    });

    test('when several processes migrate at once, one does the work and the others wait', async (context) => {
      const open = await create(context);
      const databases = await Promise.all([open(), open(), open()]);
      let runs = 0;
      const counted: Migration = { name: '0002-counted', up: async () => void runs++ };
      await Promise.all(databases.map((database) => database.migrate(line([frame, counted]))));
      assert.equal(runs, 1);
      await Promise.all(databases.map((database) => database.close()));
    });

    test('each house has its own line: names may repeat, and lines of missing houses are left alone', async (context) => {
      const database = await (await create(context))();
      const ran: string[] = [];
      const step = (house: string) => ({ name: '0001-first', up: async () => void ran.push(house) });
      for (const house of ['press', 'letter', 'press']) await database.migrate(line([step(house)], house));
      assert.deepEqual(ran, ['press', 'letter']);
      await database.close();
    });

    test('a process that must not migrate reports what is missing and changes nothing', async (context) => {
      const database = await (await create(context))();
      const missing = (error: unknown) => {
        assert.ok(hasCode(error, 'unavailable'));
        assert.match(error.message, /lacks engine\/0001-frame.*Start `pismak up` of this version/);
        return true;
      };
      await assert.rejects(database.checkMigrated(line([frame])), missing);
      assert.deepEqual(await database.query.introspection.getTables(), []);
      await database.migrate(line([frame]));
      await database.checkMigrated(line([frame]));
      const first: Migration = { name: '0001-first', up: async () => {} };
      await database.checkMigrated(line([first], 'press'));
      await database.migrate(line([first], 'press'));
      const both = [first, { ...first, name: '0002-second' }];
      await assert.rejects(database.checkMigrated(line(both, 'press')), /lacks press\/0002-second/);
      await database.close();
    });

    test('a database of 0.1 is refused unchanged, and the error says what to do', async (context) => {
      const database = await (await create(context))();
      await sql`CREATE TABLE "migration" ("name" TEXT PRIMARY KEY, "appliedAt" BIGINT NOT NULL)`.execute(
        database.query,
      );
      await sql`INSERT INTO "migration" VALUES ('0001-frame', 1), ('0002-trace', 1)`.execute(database.query);
      for (const open of ['migrate', 'checkMigrated'] as const)
        await assert.rejects(database[open](line([frame])), (error) => {
          assert.ok(hasCode(error, 'unavailable'));
          assert.match(error.message, /Pismak 0\.1.*Nothing was changed.*new data directory/);
          return true;
        });
      const tables = await database.query.introspection.getTables();
      assert.deepEqual(
        tables.map(({ name }) => name),
        ['migration'],
      );
      await database.close();
    });

    test('two migrations with one name are refused', async (context) => {
      const database = await (await create(context))();
      const twins = [frame, { ...frame }];
      await assert.rejects(database.migrate(line(twins)), (error) => hasCode(error, 'internal'));
      await database.close();
    });
  });
}
