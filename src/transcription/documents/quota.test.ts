import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { endRequests } from '../../engine/request/open-requests.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';

/** In the middle of a month, so the month doesn't end during the test. */
const start = systemClock.now();
const clock: Clock = {
  ...systemClock,
  now: () => Date.UTC(2026, 1, 15) + systemClock.now() - start,
};

test('the usage of a key is counted per month, and only its owner sees it', async (t) => {
  const { call, submit, reaches } = await runHouse(t, { clock });
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  const month = '2026-02';
  const mine = { subject: 'key:anna-1', owner: 'anna', month, pages: 2, bytes: 11, stored: 12 };
  assert.deepEqual(await call('usage.ls'), { usage: [mine] });
  assert.deepEqual(await call('usage.ls', {}, bert), { usage: [] });
  assert.deepEqual(await call('usage.ls', { month }, admin), { usage: [mine] });
  const shown = await call('usage.show', {}, { ...anna, credential: 'key:anna-2' });
  assert.deepEqual([shown.owner, shown.pages, shown.waiting, shown.pagesPerMonth], ['anna', 2, 0, null]);
});

test('the settings limit a user with all keys together, so a new key does not start afresh', async (t) => {
  const settings = { transcription: { pagesPerMonth: 2, pagesWaiting: 2 } };
  const { submit, reaches } = await runHouse(t, { settings });
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  for (const credential of ['key:anna-1', 'key:anna-2', 'session:s'])
    await assert.rejects(submit({ two: 'third' }, {}, { ...anna, credential }), (error) =>
      hasCode(error, 'quota-exceeded'),
    );
  await reaches(await submit({ two: 'third' }, {}, bert), 'done');
});

/** A stage of this house that users may name, besides those of the tests. */
async function withPages(t: TestContext, settings: object, workers = 0) {
  const house = await runHouse(t, { settings, workers });
  await house.engine.stages.create({ name: 'page', processor: 'dummy' }, 'test');
  // As if this stage had a processor of the house.
  const { definitionJson } = await house.engine.database.query
    .selectFrom('stage')
    .select('definitionJson')
    .where('name', '=', 'page')
    .executeTakeFirstOrThrow();
  const definition = { ...JSON.parse(definitionJson), processor: 'recognise' };
  await house.engine.database.query
    .updateTable('stage')
    .set({ definitionJson: JSON.stringify(definition) })
    .where('name', '=', 'page')
    .execute();
  await house.engine.broker.pause('page');
  const send = (by = anna, more: object = {}) =>
    house.call('request.submit', { stages: ['page', 'out'], files: [], ...more }, by);
  return { ...house, send };
}

const exceeded = (error: unknown) => hasCode(error, 'quota-exceeded');

test('pages count, however they come: in documents or as requests to the stages', async (t) => {
  const settings = { transcription: { pagesPerMonth: 3 } };
  const { call, engine, reaches, send, submit } = await withPages(t, settings, 1);
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  await send();
  await assert.rejects(send(), exceeded);
  await assert.rejects(send({ ...anna, credential: 'key:anna-2' }), exceeded);
  await assert.rejects(submit({ two: 'third' }), exceeded);
  assert.equal((await call('usage.show')).pages, 3);
  // A refused request left nothing behind.
  const { count } = await engine.database.query
    .selectFrom('backlog')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('queue', '=', 'page')
    .executeTakeFirstOrThrow();
  assert.equal((await engine.broker.status('page')).ready.normal + Number(count), 1);
  assert.equal((await engine.database.query.selectFrom('openRequest').selectAll().execute()).length, 1);
  // Stages that are not of this house are not its business.
  await engine.stages.create({ name: 'other', processor: 'dummy' }, 'test');
  await send(anna, { stages: ['other', 'out'] });
  await send(bert);
});

test('a request that its queue refuses does not count', async (t) => {
  const { call, engine, send } = await withPages(t, { transcription: { pagesPerMonth: 10 } });
  await engine.broker.declare('page', { maxLength: 1 });
  await send();
  for (let count = 0; count < 20; count++)
    await assert.rejects(send(), (error) => hasCode(error, 'queue-full'));
  assert.equal((await call('usage.show')).pages, 1);
});

test('requests to the stages count as waiting pages, until their results are collected', async (t) => {
  const { call, engine, send } = await withPages(t, { transcription: { pagesWaiting: 2 } });
  await send();
  const { uuid } = await send();
  await assert.rejects(send(), exceeded);
  assert.equal((await call('usage.show')).waiting, 2);
  await endRequests(engine.database.query, [{ uuid, owner: 'anna' }]);
  await send();
});

test('a key with a limit of its own is refused beyond it, whatever its user may use', async (t) => {
  const { call, send } = await withPages(t, {});
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 1 }, admin);
  await send();
  await assert.rejects(send(), exceeded);
  await send({ ...anna, credential: 'key:anna-2' });
  const { key, pages } = await call('usage.show');
  assert.deepEqual([pages, key.subject, key.pages, key.pagesPerMonth], [2, 'key:anna-1', 1, 1]);
});

test('a source of many pages counts as many; beyond the limit it fails as a whole, with the reason', async (t) => {
  const { call, submit, reaches } = await runHouse(t, {
    settings: { transcription: { pagesPerMonth: 1000 } },
  });
  const many = (count: number) => Array.from({ length: count }, () => 'bad page').join('\f');
  const document = await submit({ many: many(1001) });
  await reaches(document, 'failed');
  const [source] = (await call('document.sources', { document })).sources;
  assert.match(source.error, /used 0 of 1000 pages this month, and 1001 more exceed the limit/);
  assert.equal((await call('document.show', { document })).pages.total, 0);
  assert.equal((await call('usage.show')).pages, 0);
  await reaches(await submit({ many: many(999) }), 'failed');
  assert.equal((await call('usage.show')).pages, 999);
});

test('a user may have only so many documents; deleting some makes room', async (t) => {
  const { call } = await runHouse(t, { settings: { transcription: { documents: 2 } }, workers: 0 });
  const create = (by = anna) => call('document.create', { name: 'd' }, by);
  const [{ id }] = [await create(), await create()];
  await assert.rejects(create(), exceeded);
  await assert.rejects(create({ ...anna, credential: 'key:anna-2' }), exceeded);
  await create(bert);
  await call('document.delete', { document: id });
  await create();
});

test('a key that has used up its month is refused, others are not', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 2 }, admin);
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  await assert.rejects(submit({ two: 'third' }), (error) => hasCode(error, 'quota-exceeded'));
  await reaches(await submit({ two: 'third' }, {}, bert), 'done');
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 3 }, admin);
  // The number of pages in a source is known only once it is split.
  const document = await submit({ three: 'third\ffourth' });
  await reaches(document, 'failed');
  const [source] = (await call('document.sources', { document })).sources;
  assert.match(source.error, /used 2 of 3 pages this month/);
});

test('the limit of a user applies to all keys of the user together, so a new key is no way around it', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const otherKey = { ...anna, credential: 'key:anna-2' };
  await call('usage.limit', { subject: 'user:anna', pagesPerMonth: 2 }, admin);
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  await assert.rejects(submit({ two: 'third' }, {}, otherKey), (error) => hasCode(error, 'quota-exceeded'));
  await reaches(await submit({ two: 'third' }, {}, bert), 'done');
  await call('usage.limit', { subject: 'user:anna', pagesPerMonth: 3 }, admin);
  await reaches(await submit({ two: 'third' }, {}, otherKey), 'done');
  await call('usage.limit', { subject: 'user:anna', pagesWaiting: 1 }, admin);
  await assert.rejects(submit({ three: 'a', four: 'b' }, {}, otherKey), {
    code: 'quota-exceeded',
    // Waiting would not help.
    message: /2 pages at once exceed the limit of 1 waiting page; submit fewer at once/,
  });
});

test('the number of waiting pages of a key is limited', async (t) => {
  const settings = { transcription: { pagesWaiting: 2 } };
  const { submit, call } = await runHouse(t, { settings, workers: 0 });
  await submit({ one: 'one', two: 'two' });
  await assert.rejects(submit({ three: 'three' }), (error) => hasCode(error, 'quota-exceeded'));
  assert.equal((await call('usage.show', {}, anna)).waiting, 2);
  await submit({ three: 'three' }, {}, bert);
});

test('a page that is sent again counts again, so that retries without end are no way around the limit', async (t) => {
  const settings = { transcription: { pagesPerMonth: 2 } };
  const { call, submit, reaches } = await runHouse(t, { settings });
  const document = await submit({ one: 'unreadable' });
  await reaches(document, 'failed');
  assert.deepEqual(await call('document.retry', { document }), { pages: 1, sources: 0 });
  await reaches(document, 'failed');
  await assert.rejects(call('document.retry', { document }), exceeded);
  assert.equal((await call('document.show', { document })).state, 'failed');
  assert.equal((await call('usage.show')).pages, 2);
});
