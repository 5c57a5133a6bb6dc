import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { own } from '../../engine/blob-owners/blob-owners.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';
import { documentOwner } from './document.ts';

const server = await sharedPostgres();
after(() => server.close());
const otherKey = { ...anna, credential: 'key:anna-2' };
const kilobyte = 1024;

const refused = (error: unknown) => {
  assert.ok(hasCode(error, 'quota-exceeded'), String(error));
  assert.match(
    error.message,
    /take \d+ bytes, and \d+ more exceed the limit of \d+ MB; delete documents to make room/,
  );
  return true;
};

const databases = [
  { name: 'SQLite', places: async () => ({}) },
  {
    name: 'PostgreSQL',
    async places() {
      const url = await server.createDatabase();
      return { broker: url, coordination: url, database: url, blobs: url };
    },
  },
];
for (const { name, places } of databases) {
  const setUp = async (t: TestContext, storageMb = 0) => {
    const settings = { ...(await places()), transcription: { storageMb } };
    const house = await runHouse(t, { settings, workers: 0, collects: false });
    const { call, engine } = house;
    const create = async (by = anna): Promise<string> =>
      (await call('document.create', { name: 'd' }, by)).id;
    const put = async (size: number, by = anna) =>
      (await putFor(engine, by.name, randomBytes(size * kilobyte))).hash;
    const add = async (document: string, size: number, by = anna) =>
      call('document.add', { document, name: 'source', hash: await put(size, by) }, by);
    const owned = async (document: string) => {
      const refs = engine.database.query.selectFrom('blobRef').selectAll();
      return (await refs.where('owner', '=', documentOwner(document)).execute()).length;
    };
    return { ...house, create, put, add, owned };
  };

  test(`${name}: the storage limit counts documents submitted or not, and deleting makes room`, async (t) => {
    const { call, create, add, owned, put } = await setUp(t, 1);
    const [first, second] = [await create(), await create()];
    const { source } = await add(first, 600);
    await assert.rejects(add(second, 600), refused);
    assert.equal(await owned(second), 0, 'a refused source is not owned');
    await add(second, 424);
    await call('document.submit', { document: second });
    await assert.rejects(add(first, 1), refused);
    await add(await create(bert), 600, bert);

    const small = await put(0);
    await call('document.add', { document: first, name: 'empty', hash: small });
    const { sources } = await call('document.sources', { document: first });
    const again = { document: first, name: 'source', hash: sources[0].hash };
    assert.deepEqual(await call('document.add', again), { source, size: 600 * kilobyte, added: false });

    await call('document.delete', { document: first });
    await add(second, 600);
  });

  test(`${name}: the limit of a user applies to all keys together, that of a key to the key`, async (t) => {
    const { call, create, add } = await setUp(t, 1);
    const [document, other] = [await create(), await create(otherKey)];
    await add(document, 600);
    await assert.rejects(add(other, 600, otherKey), refused, 'another key is no way around the limit');
    await call('usage.limit', { subject: 'user:anna', storageMb: 2 }, admin);
    await call('usage.limit', { subject: 'key:anna-2', storageMb: 0 }, admin);
    await assert.rejects(add(other, 600, otherKey), refused);
    await add(document, 600);
    await call('usage.limit', { subject: 'key:anna-2' }, admin);
    await assert.rejects(add(other, 900, otherKey), refused);
    await add(other, 600, otherKey);
    await call('usage.limit', { subject: 'user:anna' }, admin);
    await add(other, 900, otherKey);
  });

  test(`${name}: owners and administrators see how much is stored`, async (t) => {
    const { call, create, add } = await setUp(t);
    const shown = async (by = anna) => {
      const { stored, storageMb } = await call('usage.show', {}, by);
      return { stored, storageMb };
    };
    assert.deepEqual(await shown(), { stored: 0, storageMb: null });
    await add(await create(), 300);
    await add(await create(otherKey), 500, otherKey);
    assert.deepEqual(await shown(), { stored: 800 * kilobyte, storageMb: null });
    await call('usage.limit', { subject: 'user:anna', storageMb: 2 }, admin);
    assert.deepEqual(await shown(), { stored: 800 * kilobyte, storageMb: 2 });
    await call('usage.limit', { subject: 'key:anna-1', storageMb: 1 }, admin);
    assert.deepEqual(await shown(), { stored: 300 * kilobyte, storageMb: 1 });

    const listed = async (by: typeof anna, input = {}) =>
      (await call('usage.ls', input, by)).usage.map((row: Record<string, unknown>) => [
        row.subject,
        row.pages,
        row.stored,
      ]);
    const all = [
      ['key:anna-2', 0, 500 * kilobyte],
      ['key:anna-1', 0, 300 * kilobyte],
    ];
    for (const by of [anna, admin]) assert.deepEqual(await listed(by), all);
    assert.deepEqual(await listed(bert), []);
    assert.deepEqual(await listed(anna, { month: '2020-01' }), []);
  });

  test(`${name}: of several sources at once, only those that fit are added`, async (t) => {
    const { call, create, put, owned } = await setUp(t, 1);
    const document = await create();
    const hashes: string[] = [];
    for (let count = 0; count < 5; count++) hashes.push(await put(400));
    const results = await Promise.allSettled(
      hashes.map((hash) => call('document.add', { document, name: 'source', hash })),
    );
    for (const one of results) if (one.status === 'rejected') refused(one.reason);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2);
    assert.equal(await owned(document), 2);
  });

  test(`${name}: a document keeps bytes it already owns when they are refused as a source`, async (t) => {
    const { call, create, put, add, owned, engine } = await setUp(t, 1);
    const document = await create();
    await add(document, 600);
    const result = await put(600);
    await own(engine.database.query, result, documentOwner(document), engine.clock.now());
    await assert.rejects(call('document.add', { document, name: 'result', hash: result }), refused);
    assert.equal(await owned(document), 2);
  });
}
