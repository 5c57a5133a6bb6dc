import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import { chunks } from '../../engine/ground/chunks.ts';
import { newId } from '../../engine/ground/identity.ts';
import { bothDatabases } from '../../engine/testing/both-databases.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { documentQueries, type Queries } from '../database/database.ts';
import { migrations } from '../database/migrations.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';
import { foldedName } from '../text/fold.ts';
import type { DocumentRow } from './document.ts';
import { type DocumentFilter, idsInWindow, listDocuments } from './document-list.ts';
import { documentOrders } from './document-orders.ts';

function row(changes: Partial<DocumentRow>): DocumentRow {
  const name = changes.name ?? 'a';
  const order = { pipeline: 'p', language: 'ces', formatsJson: '["txt"]', again: 0, textLayer: null };
  const times = { createdAt: 0, submittedAt: null, endedAt: null, webhook: null, resumed: 0, priority: 0 };
  const figures = { pageCount: 0, withoutText: 0, meanConfidence: -1, nameKey: foldedName(name) };
  const fresh = { id: newId(systemClock), owner: 'anna', subject: 'user:anna', name, state: 'done' };
  return { ...fresh, ...order, ...times, ...figures, ...changes };
}

const all = { sort: 'created', order: 'asc', offset: 0, limit: 100 } as const;

for (const { name, open } of await bothDatabases()) {
  async function opened(t: Parameters<typeof open>[0], rows: readonly DocumentRow[]): Promise<Queries> {
    const parts = await open(t, systemClock);
    await parts.database.migrate(migrations);
    const queries = documentQueries(parts);
    for (const some of chunks(rows, 500))
      await queries.insertInto('transcription_document').values(some).execute();
    return queries;
  }

  test(`documents are sorted by each column, equal ones always in the same order (${name})`, async (t) => {
    const queries = await opened(t, [
      row({ name: 'Žďár', pageCount: 3, meanConfidence: 0.9, state: 'done' }),
      row({ name: 'adam', pageCount: 1, meanConfidence: 0.5, state: 'failed', owner: 'bert' }),
      row({ name: 'Émile', pageCount: 1, state: 'open' }),
      row({ name: 'Zdar 2', pageCount: 2, meanConfidence: 0.7, state: 'done' }),
    ]);
    const names = async (sort: (typeof documentOrders)[number], order: 'asc' | 'desc' = 'asc') =>
      (await listDocuments(queries, {}, { ...all, sort, order })).rows.map((document) => document.name);
    assert.deepEqual(await names('created', 'desc'), ['Zdar 2', 'Émile', 'adam', 'Žďár']);
    assert.deepEqual(await names('name'), ['adam', 'Émile', 'Žďár', 'Zdar 2']);
    assert.deepEqual(await names('pages'), ['adam', 'Émile', 'Zdar 2', 'Žďár']);
    assert.deepEqual(await names('pages', 'desc'), ['Žďár', 'Zdar 2', 'Émile', 'adam']);
    assert.deepEqual(await names('confidence'), ['Émile', 'adam', 'Zdar 2', 'Žďár']);
    assert.deepEqual(await names('state'), ['Žďár', 'Zdar 2', 'adam', 'Émile']);
    assert.deepEqual(await names('owner'), ['Žďár', 'Émile', 'Zdar 2', 'adam']);
  });

  test(`filters combine, and the total counts all that match (${name})`, async (t) => {
    const rows = [
      row({ name: 'Kronika 100%', state: 'done', meanConfidence: 0.9, createdAt: 10 }),
      row({ name: 'kroniky', state: 'failed', createdAt: 20 }),
      row({ name: 'KRÓNIKA', state: 'done', owner: 'bert', meanConfidence: 0.4, createdAt: 30 }),
      row({ name: 'matrika', state: 'open', createdAt: 40 }),
    ];
    const queries = await opened(t, rows);
    const keyword = (index: number, word: string) => {
      const { id, owner } = rows[index] ?? row({});
      return { document: id, owner, key: foldedName(word), word, count: 1, pages: 1 };
    };
    await queries
      .insertInto('transcription_keyword')
      .values([keyword(0, 'Praha'), keyword(0, 'Žďár'), keyword(2, 'praha')])
      .execute();
    const found = async (filter: DocumentFilter, window: object = {}) => {
      const { rows: shown, total } = await listDocuments(queries, filter, { ...all, ...window });
      return [total, ...shown.map((document) => document.name)];
    };
    assert.deepEqual(await found({ nameHas: 'kroni' }), [3, 'Kronika 100%', 'kroniky', 'KRÓNIKA']);
    assert.deepEqual(await found({ nameHas: 'kroni' }, { offset: 1, limit: 1 }), [3, 'kroniky']);
    assert.deepEqual(await found({ nameHas: 'kroni' }, { offset: 5 }), [3]);
    assert.deepEqual(await found({ nameHas: '0%' }), [1, 'Kronika 100%']);
    assert.deepEqual(await found({ nameHas: '_' }), [0]);
    assert.deepEqual(await found({ owner: 'bert', nameHas: 'KRÓN' }), [1, 'KRÓNIKA']);
    assert.deepEqual(await found({ state: ['failed', 'open'] }), [2, 'kroniky', 'matrika']);
    assert.deepEqual(await found({ keyword: ['praha'] }), [2, 'Kronika 100%', 'KRÓNIKA']);
    assert.deepEqual(await found({ keyword: ['PRAHA', 'zdar'] }), [1, 'Kronika 100%']);
    assert.deepEqual(await found({ createdFrom: 20, createdBefore: 40 }), [2, 'kroniky', 'KRÓNIKA']);
    assert.deepEqual(await found({ maxConfidence: 0.5 }), [1, 'KRÓNIKA']);
    assert.deepEqual(await found({ minConfidence: 0.5 }), [1, 'Kronika 100%']);
  });

  test(`a page of a long list is read from an index in every order, without sorting (${name})`, async (t) => {
    const rows = Array.from({ length: 3000 }, (_, index) =>
      row({
        name: `n${index % 977}`,
        pageCount: index % 100,
        meanConfidence: (index % 50) / 50,
        owner: `u${index % 20}`,
      }),
    );
    const queries = await opened(t, rows);
    await sql.raw('ANALYZE').execute(queries);
    for (const owner of [undefined, 'u3'])
      for (const sort of documentOrders)
        for (const order of ['asc', 'desc'] as const) {
          const plan = await planOf(queries, { owner }, { sort, order, offset: 20, limit: 20 });
          assert.match(plan, /INDEX|Index/, `${sort} ${order} ${owner}: ${plan}`);
          assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, `${sort} ${order} ${owner}: ${plan}`);
        }
  });

  async function planOf(
    queries: Queries,
    filter: DocumentFilter,
    window: Parameters<typeof idsInWindow>[2],
  ): Promise<string> {
    const { sql: text, parameters } = idsInWindow(queries, filter, window).compile();
    const explain = name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = await queries.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
    return JSON.stringify(plan.rows);
  }
}

test('users see and count only their own documents, whatever they filter by', async (t) => {
  const { call } = await runHouse(t, { workers: 0 });
  for (const [name, by] of [
    ['one', anna],
    ['two', anna],
    ['three', bert],
  ] as const)
    await call('document.create', { name }, by);
  const seen = async (input: object, by: typeof anna) => {
    const { documents, total } = await call('document.ls', input, by);
    return [total, ...documents.map((document: { name: string }) => document.name)];
  };
  assert.deepEqual(await seen({}, anna), [2, 'two', 'one']);
  assert.deepEqual(await seen({ owner: 'bert' }, anna), [0]);
  assert.deepEqual(await seen({ owner: 'bert' }, admin), [1, 'three']);
  assert.deepEqual(await seen({ sort: 'name', limit: 2 }, admin), [3, 'one', 'three']);
});

test('a document is found by the keywords of its pages, once it was read', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const first = await submit({ a: 'about Praha Vltava\fabout Praha most' });
  const second = await submit({ b: 'about Brno' }, {}, bert);
  for (const document of [first, second]) await reaches(document, 'done');
  const found = async (keyword: string[], by = anna) =>
    (await call('document.ls', { keyword }, by)).documents.map(({ id }: { id: string }) => id);
  assert.deepEqual(await found(['praha']), [first]);
  assert.deepEqual(await found(['Praha', 'brno'], admin), []);
  assert.deepEqual(await found(['brno']), [], 'those of others are not searched');
  const { keywords } = await call('document.keywords', { document: first });
  assert.deepEqual(keywords[0], { word: 'Praha', count: 2, pages: 2, documents: 1 });
  assert.deepEqual((await call('document.keywords', { document: second })).keywords, []);
  assert.deepEqual((await call('document.keywords', { starts: 'pra' })).keywords, [
    { word: 'Praha', count: null, pages: null, documents: 1 },
  ]);
  assert.deepEqual((await call('document.show', { document: first })).keywords[0], 'Praha');
  const again = await submit({ a: 'about Praha Vltava\fabout Praha most' });
  await reaches(again, 'done');
  assert.equal((await found(['praha'])).length, 2, 'also if the pages were read before');
  await call('document.delete', { document: again });
  assert.deepEqual(await found(['praha']), [first]);
});
