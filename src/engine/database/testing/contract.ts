import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { hasCode } from '../../ground/errors.ts';
import type { Database, Migration } from '../database.ts';
import type { EngineTables } from '../tables.ts';

/** Opens one store, empty at first, as often as the test likes. */
export type OpenDatabase = () => Promise<Database>;

type Tables = {
  shelf: { name: string };
  book: { id: number; shelf: string; title: string | null; price: number; cover: Uint8Array; pages: number };
};

const library: Migration = {
  name: '0001-library',
  async up(transaction) {
    await sql`CREATE TABLE "shelf" ("name" TEXT PRIMARY KEY)`.execute(transaction);
    await sql`CREATE TABLE "book" ("id" BIGINT PRIMARY KEY, "shelf" TEXT NOT NULL REFERENCES "shelf" ("name"),
      "title" TEXT, "price" DOUBLE PRECISION NOT NULL, "cover" BYTEA NOT NULL, "pages" BIGINT NOT NULL)`.execute(
      transaction,
    );
  },
};

const book = (id: number, more: Partial<Tables['book']> = {}): Tables['book'] => ({
  id,
  shelf: 'old',
  title: `Book ${id}`,
  price: 1.5,
  cover: new Uint8Array([0, 255, id % 256]),
  pages: 100,
  ...more,
});

/** Tests what every Database adapter must do. `create` makes an empty store for one test. */
export function databaseContract(
  adapter: string,
  create: (test: TestContext) => Promise<OpenDatabase>,
): void {
  const claim = (
    what: string,
    check: (database: Database<EngineTables & Tables>, open: OpenDatabase) => Promise<void>,
  ): void => {
    test(what, async (context) => {
      const open = await create(context);
      const engine = await open();
      try {
        await engine.migrate({ name: 'library', migrations: [library] });
        const database = engine.withTables<Tables>();
        await database.query.insertInto('shelf').values({ name: 'old' }).execute();
        await check(database, open);
      } finally {
        await engine.close();
      }
    });
  };

  describe(`Database: ${adapter}`, () => {
    claim('values come back unchanged', async ({ query }) => {
      const stored = book(Number.MAX_SAFE_INTEGER, {
        title: 'Žluťoučký \u{1f34e} kůň "\'',
        price: -0.1,
        pages: -1,
      });
      await query
        .insertInto('book')
        .values([stored, book(2, { title: null })])
        .execute();
      const rows = await query.selectFrom('book').selectAll().orderBy('id', 'desc').execute();
      assert.deepEqual(
        { ...rows[0], cover: [...(rows[0]?.cover ?? [])] },
        { ...stored, cover: [...stored.cover] },
      );
      assert.equal(rows[1]?.title, null);
      const { count } = await query
        .selectFrom('book')
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      assert.equal(count, 2);
    });

    claim('a second row with the same key is refused as constraint-violated', async ({ query }) => {
      await query.insertInto('book').values(book(1)).execute();
      const second = query.insertInto('book').values(book(1)).execute();
      await assert.rejects(second, (error) => hasCode(error, 'constraint-violated'));
    });

    claim('a row that refers to a missing one is refused as constraint-violated', async ({ query }) => {
      const orphan = query
        .insertInto('book')
        .values(book(1, { shelf: 'none' }))
        .execute();
      await assert.rejects(orphan, (error) => hasCode(error, 'constraint-violated'));
    });

    claim('the error of a failed statement shows no values and no SQL', async ({ query }) => {
      const failing = sql`SELECT "nothing" FROM "nowhere" WHERE "x" = ${'hunter2'}`.execute(query);
      await assert.rejects(failing, (error) => {
        assert.ok(hasCode(error, 'internal'));
        assert.doesNotMatch(error.message, /hunter2|nowhere/);
        return true;
      });
      await query.selectFrom('book').selectAll().execute();
    });

    claim('a transaction that throws leaves nothing and rejects with its error', async (database) => {
      const trouble = new Error('changed my mind');
      const work = database.transaction(async (transaction) => {
        await transaction.insertInto('book').values(book(1)).execute();
        throw trouble;
      });
      await assert.rejects(work, (error) => error === trouble);
      assert.deepEqual(await database.query.selectFrom('book').selectAll().execute(), []);
    });

    claim('a failed statement rolls back the whole transaction', async (database) => {
      const work = database.transaction(async (transaction) => {
        await transaction.insertInto('book').values(book(1)).execute();
        await transaction.insertInto('book').values(book(1)).execute();
      });
      await assert.rejects(work, (error) => hasCode(error, 'constraint-violated'));
      assert.deepEqual(await database.query.selectFrom('book').selectAll().execute(), []);
    });

    claim(
      'others see nothing of a transaction before it ends, and need not wait for it',
      async (database) => {
        const titles = () => database.query.selectFrom('book').select('title').execute();
        await database.transaction(async (transaction) => {
          await transaction.insertInto('book').values(book(1)).execute();
          assert.equal((await titles()).length, 0);
          await transaction.insertInto('book').values(book(2)).execute();
          assert.equal((await transaction.selectFrom('book').select('title').execute()).length, 2);
          assert.equal((await titles()).length, 0);
        });
        assert.equal((await titles()).length, 2);
      },
    );

    claim('concurrent transactions lose no change', async (database) => {
      await database.query
        .insertInto('book')
        .values(book(1, { pages: 0 }))
        .execute();
      const add = () =>
        database.transaction(async (transaction) => {
          await transaction
            .updateTable('book')
            .set((row) => ({ pages: row('pages', '+', 1) }))
            .where('id', '=', 1)
            .execute();
          await transaction.selectFrom('book').selectAll().execute();
        });
      await Promise.all(Array.from({ length: 40 }, add));
      assert.equal((await database.query.selectFrom('book').select('pages').executeTakeFirst())?.pages, 40);
    });

    claim('changes report how many rows they touched', async ({ query }) => {
      await query
        .insertInto('book')
        .values([book(1), book(2), book(3)])
        .execute();
      const update = await query.updateTable('book').set({ price: 9 }).where('id', '>', 1).executeTakeFirst();
      assert.equal(update.numUpdatedRows, 2n);
      const gone = await query.deleteFrom('book').where('id', '=', 7).executeTakeFirst();
      assert.equal(gone.numDeletedRows, 0n);
      const returned = await query.deleteFrom('book').where('price', '=', 9).returning('id').execute();
      assert.deepEqual(returned.map((row) => row.id).sort(), [2, 3]);
    });

    claim(
      'a long result can be streamed and left early, and it is a consistent snapshot',
      async (database) => {
        const { query } = database;
        const many = Array.from({ length: 2000 }, (_, id) => book(id));
        await database.transaction(async (transaction) => {
          for (let at = 0; at < many.length; at += 500) {
            await transaction
              .insertInto('book')
              .values(many.slice(at, at + 500))
              .execute();
          }
        });
        const seen: number[] = [];
        for await (const row of query.selectFrom('book').select('id').orderBy('id').stream(100)) {
          if (seen.length === 0) await query.insertInto('book').values(book(5000)).execute();
          seen.push(row.id);
        }
        assert.deepEqual(
          seen,
          many.map((row) => row.id),
        );
        for await (const row of query.selectFrom('book').select('id').orderBy('id').stream(10))
          if (row.id === 25) break;
        assert.equal((await query.selectFrom('book').select('id').execute()).length, 2001);
      },
    );

    claim('resolved changes are there after reopening', async (database, open) => {
      await database.query.insertInto('book').values(book(1)).execute();
      await database.close();
      const again = (await open()).withTables<Tables>();
      try {
        assert.equal((await again.query.selectFrom('book').select('id').execute()).length, 1);
      } finally {
        await again.close();
      }
    });

    claim('a closed database answers `unavailable`, and closing twice is harmless', async (database) => {
      await database.close();
      await database.close();
      const late = database.query.selectFrom('book').selectAll().execute();
      await assert.rejects(late, (error) => hasCode(error, 'unavailable'));
      const lateWork = database.transaction(async () => {});
      await assert.rejects(lateWork, (error) => hasCode(error, 'unavailable'));
    });
  });
}
