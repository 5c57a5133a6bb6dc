import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CompiledQuery } from 'kysely';
import { bothDatabases } from '../../engine/testing/both-databases.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { type Database, documentQueries } from '../database/database.ts';
import { migrations } from '../database/migrations.ts';
import { filesOf, findListed, listPages } from './page-list.ts';
import { dropNumbers, findPage, forgetNumbers, numberPages, numbersOf } from './page-numbers.ts';

const databases = await bothDatabases();

async function addPages(database: Database, document: string, source: number, count: number): Promise<void> {
  const pages = Array.from({ length: count }, (_, index) => ({
    id: `${document}/${source}/${index}`,
    document,
    source: `${document}/${source}`,
    position: source * 1_000_000 + index,
    name: 'scan.png',
    part: null,
    state: 'done',
    hash: 'h',
    size: 1,
    textHash: null,
    textSize: 0,
    error: null,
    log: '',
    request: null,
    generation: 1,
    reuseKey: null,
    createdAt: 0,
    endedAt: source,
  }));
  await database.transaction(async (transaction) => {
    await forgetNumbers(transaction, document, source * 1_000_000);
    for (let start = 0; start < pages.length; start += 500) {
      await transaction
        .insertInto('transcription_page')
        .values(pages.slice(start, start + 500))
        .execute();
    }
  });
}

for (const { name, open } of databases) {
  test(`${name}: pages have the numbers of their order, whenever their sources were opened and numbers stored`, async (t) => {
    const parts = await open(t, systemClock);
    await parts.database.migrate(migrations);
    const database: Database = parts.database.withTables();
    let documents = 0;
    const step = fc.oneof(
      fc.record({ source: fc.integer({ min: 1, max: 6 }), count: fc.integer({ min: 1, max: 3 }) }),
      fc.constant('number' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const document = `d${++documents}`;
        const opened = new Map<number, number>();
        for (const one of steps) {
          if (one === 'number') await numberPages({ database }, document);
          else if (!opened.has(one.source)) {
            opened.set(one.source, one.count);
            await addPages(database, document, one.source, one.count);
          }
          const expected = [...opened]
            .sort(([a], [b]) => a - b)
            .flatMap(([source, count]) =>
              Array.from({ length: count }, (_, index) => ({
                id: `${document}/${source}/${index}`,
                position: source * 1_000_000 + index,
              })),
            );
          const numbers = await numbersOf(database.query, document, expected);
          const ids = expected.map(({ id }) => id);
          assert.deepEqual(
            ids.map((id) => numbers.get(id)),
            ids.map((_, index) => index + 1),
          );
          for (const [index, id] of ids.entries()) {
            assert.equal(await findPage(database.query, document, index + 1), id);
          }
          assert.equal(await findPage(database.query, document, ids.length + 1), undefined);
        }
        await database.transaction((transaction) => dropNumbers(transaction, document));
      }),
      { numRuns: 25 },
    );
  });
}

const [{ open } = assert.fail()] = databases;

test('a file, a page or a list of pages costs the same in a document of 100 and of 5,000 pages', async (t) => {
  const parts = await open(t, systemClock);
  await parts.database.migrate(migrations);
  const database: Database = parts.database.withTables();
  const costs = [];
  for (const pages of [100, 5000]) {
    const document = `of-${pages}`;
    await addPages(database, document, 1, pages);
    await numberPages({ database }, document);
    const id = `${document}/1/${pages - 1}`;
    const queries = counted(documentQueries(parts));
    await filesOf(queries.query, [(await findPage(queries.query, document, pages)) ?? '']);
    await findPage(queries.query, document, id);
    assert.equal((await findListed(queries.query, document, id))?.number, pages);
    for (const filter of [{}, { state: 'done' }, { endedSince: 1 }, { state: 'done', endedSince: 1 }]) {
      const listed = await listPages(queries.query, document, { ...filter, offset: 0, limit: 50 });
      assert.deepEqual([listed[0]?.number, listed.at(-1)?.number], [1, 50]);
    }
    for (const plan of await queries.plans())
      assert.doesNotMatch(plan, /SCAN transcription|TEMP B-TREE|CO-ROUTINE/);
    costs.push(queries.cost);
  }
  assert.deepEqual(costs[0], costs[1]);
});

/** Counts the queries and the rows they return, and asks the database how it would run each. */
function counted(query: ReturnType<typeof documentQueries>) {
  const cost = { queries: 0, rows: 0 };
  const seen: CompiledQuery[] = [];
  return {
    cost,
    query: query.withPlugin({
      transformQuery: ({ node }) => {
        seen.push(query.getExecutor().compileQuery(node, { queryId: `${seen.length}` }));
        return node;
      },
      async transformResult({ result }) {
        cost.queries++;
        cost.rows += result.rows.length;
        return result;
      },
    }) as typeof query,
    plans: () =>
      Promise.all(
        seen.map(async ({ sql, parameters }) => {
          const plan = { sql: `EXPLAIN QUERY PLAN ${sql}`, parameters, query: { kind: 'RawNode' } };
          const { rows } = await query.executeQuery<{ detail: string }>(
            plan as unknown as CompiledQuery<never>,
          );
          return rows.map(({ detail }) => detail).join('\n');
        }),
      ),
  };
}
