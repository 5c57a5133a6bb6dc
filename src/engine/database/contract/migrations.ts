import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { hasCode } from '../../errors.ts';
import type { OpenDatabase } from '../contract.ts';
import type { Migration } from '../database.ts';
import { frame } from '../migrations/0001-frame.ts';

/** What every adapter of the Database port must do with migrations. */
export function migrationContract(
  adapter: string,
  create: (test: TestContext) => Promise<OpenDatabase>,
): void {
  describe(`Database: migrations on ${adapter}`, () => {
    test('migrations run once each, in the order of their names', async (context) => {
      const database = await (await create(context))();
      const ran: string[] = [];
      const step = (name: string): Migration => ({ name, up: async () => void ran.push(name) });
      await database.migrate([step('0002-second'), step('0001-first')]);
      await database.migrate([step('0001-first'), step('0002-second'), step('0003-third')]);
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
      await assert.rejects(database.migrate([step]), /power cut/);
      broken = false;
      await database.migrate([step]);
      await sql`SELECT "n" FROM "half"`.execute(database.query);
      await database.close();
    });

    test('an older version opens the schema of a newer one', async (context) => {
      const open = await create(context);
      const newer = await open();
      await newer.migrate([frame, { name: '0002-newer', up: async () => {} }]);
      await newer.close();
      const older = await open();
      await older.migrate([frame]);
      assert.deepEqual(await older.query.selectFrom('stage').selectAll().execute(), []);
      await older.close();
    });

    test('of several that migrate at once, one does it and the others wait for it', async (context) => {
      const open = await create(context);
      const databases = await Promise.all([open(), open(), open()]);
      let runs = 0;
      const counted: Migration = { name: '0002-counted', up: async () => void runs++ };
      await Promise.all(databases.map((database) => database.migrate([frame, counted])));
      assert.equal(runs, 1);
      await Promise.all(databases.map((database) => database.close()));
    });

    test('two migrations with one name are refused', async (context) => {
      const database = await (await create(context))();
      const twins = [frame, { ...frame }];
      await assert.rejects(database.migrate(twins), (error) => hasCode(error, 'internal'));
      await database.close();
    });
  });
}
