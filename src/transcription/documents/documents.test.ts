import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { documentQueries } from '../database/database.ts';
import { createTextIndex } from '../search/text-index.ts';
import { anna, bert, runHouse } from '../testing/running-transcription.ts';
import { addSource } from './open-document.ts';

test('a document of several sources becomes pages in the order of the sources, each with its results', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const names = ['a "quoted".tif', 'line\nbreak.png', '🦉.pdf'];
  const document = await submit({
    [names[0] ?? '']: 'first page\fsecond page',
    [names[1] ?? '']: 'third page',
    [names[2] ?? '']: 'fourth page\fbad page',
  });
  await reaches(document, 'partly');
  const { pages } = await call('document.pages', { document });
  assert.deepEqual(
    pages.map((page: { number: number; name: string; part: number | null; state: string }) => [
      page.number,
      page.name,
      page.part,
      page.state,
    ]),
    [
      [1, names[0], 1, 'done'],
      [2, names[0], 2, 'done'],
      [3, names[1], null, 'done'],
      [4, names[2], 1, 'done'],
      [5, names[2], 2, 'failed'],
    ],
  );
  assert.equal(pages[4].error, 'the page is torn');
  const { files, log } = await call('document.page', { document, page: 3 });
  assert.deepEqual(
    files.map((file: { name: string }) => file.name),
    ['page.json', 'text.txt'],
  );
  assert.match(log, /read version 1 on .*: OK/);
  const { pages: counts, sources } = await call('document.show', { document });
  assert.deepEqual(counts, {
    total: 5,
    waiting: 0,
    running: 0,
    done: 4,
    doubtful: 0,
    noText: 0,
    failed: 1,
    cancelled: 0,
  });
  assert.deepEqual(sources, { total: 3, split: 3, failed: 0 });
  const kinds = engine.events.recent().map((event) => event.kind);
  assert.equal(kinds.filter((kind) => kind === 'document.finished').length, 1);
  assert.equal(kinds.filter((kind) => kind === 'page.done').length, 4);
});

test('a source is added without reading its bytes', async (t) => {
  const { call, engine } = await runHouse(t, { workers: 0 });
  const { id: document } = await call('document.create', { name: 'test' });
  const { hash } = await putFor(engine, 'anna', Buffer.from('a source'));
  const blobs = { ...engine.blobs, get: () => assert.fail('the content was read') };
  const added = await addSource({ ...engine, blobs }, document, { name: 'a.tif', hash }, anna);
  assert.deepEqual([added.size, added.added], [8, true]);
});

test('a long source comes in parts: its pages are in order, each once, and a retry goes on where it failed', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const texts = ['long one', 'two', 'bad page', 'four', 'stuck', 'six', 'seven'];
  const document = await submit({ first: texts.join('\f'), second: 'short' });
  await reaches(document, 'partly');
  const seen = async () => {
    const { pages } = await call('document.pages', { document });
    return pages.map((page: { name: string; part: number | null; state: string }) => [
      page.name,
      page.part,
      page.state,
    ]);
  };
  const before = [
    ['first', 1, 'done'],
    ['first', 2, 'done'],
    ['first', 3, 'failed'],
    ['first', 4, 'done'],
  ];
  assert.deepEqual(await seen(), [...before, ['second', null, 'done']]);
  const { sources } = await call('document.sources', { document });
  assert.deepEqual([sources[0].state, sources[0].error], ['failed', 'split: it is stuck']);
  await engine.stages.change('split', { config: 'better' }, 'test');
  assert.deepEqual(await call('document.retry', { document }), { pages: 0, sources: 1 });
  await eventually('all pages', async () => (await call('document.pages', { document })).pages.length === 8);
  await reaches(document, 'partly');
  assert.deepEqual(await seen(), [
    ...before,
    ...[5, 6, 7].map((part) => ['first', part, 'done']),
    ['second', null, 'done'],
  ]);
});

test('a page with a result larger than any page fails, and is not read into memory', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'good', two: 'huge' });
  await reaches(document, 'partly');
  const [failed] = (await call('document.pages', { document, state: 'failed' })).pages;
  assert.match(failed.error, /page.json has 17 MB; the limit is 16 MB/);
});

test('a retry sends only failed pages, and a source that can’t be opened fails alone', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const document = await submit({ good: 'good', broken: 'bad', hard: 'unreadable' });
  await reaches(document, 'partly');
  const [failed] = (await call('document.pages', { document, state: 'failed' })).pages;
  assert.match(failed.error, /nothing can be read/);
  const { sources } = await call('document.sources', { document });
  assert.match(sources[1].error, /this is not an image/);
  await engine.stages.change('read', { config: 'better' }, 'test');
  assert.deepEqual(await call('document.retry', { document }), { pages: 1, sources: 1 });
  await reaches(document, 'partly');
  const { pages } = await call('document.pages', { document });
  assert.deepEqual(
    pages.map((page: { generation: number; state: string }) => [page.generation, page.state]),
    [
      [1, 'done'],
      [2, 'done'],
    ],
  );
  assert.match((await call('document.page', { document, page: 2 })).log, /read version 2/);
});

test('lost requests can be sent again, and those still in the backlog are left alone', async (t) => {
  // Without the collector, nothing looks for lost requests.
  const { call, engine, submit } = await runHouse(t, { workers: 0, collects: false });
  const document = await submit({ one: 'one', two: 'two' });
  const bothSent = () =>
    eventually('both left the backlog', async () => {
      const { waiting } = await engine.backlog.count(document);
      return waiting === 0 && (await engine.broker.status('split')).ready.normal === 2;
    });
  await bothSent();
  await engine.broker.pause('split');
  await engine.broker.purge('split');
  assert.deepEqual(await call('document.retry', { document }), { pages: 0, sources: 0 });
  const again = { document, unfinished: true };
  assert.deepEqual(await call('document.retry', again), { pages: 0, sources: 2 });
  // The backlog releases nothing to a paused queue.
  assert.deepEqual(await call('document.retry', again), { pages: 0, sources: 0 });
  await engine.broker.resume('split');
  await bothSent();
});

test('a finished document accepts more sources, and the same source is added once', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'one' });
  await reaches(document, 'done');
  const { hash } = await putFor(engine, 'anna', Buffer.from('two'));
  const first = await call('document.add', { document, name: 'two', hash });
  const second = await call('document.add', { document, name: 'two', hash });
  assert.deepEqual([first.added, second.added, first.source === second.source], [true, false, true]);
  assert.deepEqual(await call('document.submit', { document }), { sources: 1 });
  await eventually('both pages are done', async () => {
    const { pages, state } = await call('document.show', { document });
    return state === 'done' && pages.done === 2;
  });
  assert.deepEqual(await call('document.submit', { document }), { sources: 0 });
});

test('a source whose bytes were not uploaded is refused and leaves no trace', async (t) => {
  const { call, engine } = await runHouse(t, { workers: 0 });
  const { id: document } = await call('document.create', { name: 'empty' });
  const input = { document, name: 'ghost', hash: 'ab'.repeat(32) };
  await assert.rejects(call('document.add', input), (error) => hasCode(error, 'blob-missing'));
  assert.deepEqual(await engine.database.query.selectFrom('blobRef').selectAll().execute(), []);
  await assert.rejects(call('document.submit', { document }), /add at least one source/);
});

test('a cancelled document is not read any further', async (t) => {
  const { call, engine, submit } = await runHouse(t, { workers: 0 });
  const document = await submit({ one: 'one', two: 'two' });
  assert.deepEqual(await call('document.cancel', { document }), { pages: 0 });
  assert.equal((await call('document.show', { document })).state, 'cancelled');
  assert.deepEqual(await engine.backlog.count(document), { waiting: 0, paused: 0 });
  await assert.rejects(call('document.submit', { document }), (error) => hasCode(error, 'conflict'));
});

test('cancelling a finished document is refused and keeps its state', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'one' });
  await reaches(document, 'done');
  await assert.rejects(
    call('document.cancel', { document }),
    (error) =>
      hasCode(error, 'conflict') && /finished \(done\), so there is nothing to cancel/.test(error.message),
  );
  assert.equal((await call('document.show', { document })).state, 'done');
  await call('document.delete', { document });
});

test('cancelling twice is not an error', async (t) => {
  const { call, submit } = await runHouse(t, { workers: 0 });
  const document = await submit({ one: 'one' });
  for (const _ of [1, 2]) assert.deepEqual(await call('document.cancel', { document }), { pages: 0 });
});

test('the same page is not read twice for the same owner unless asked', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const processed = () =>
    engine.events.recent({ kind: 'request.processed' }).filter((event) => event.entity === 'read').length;
  await reaches(await submit({ scan: 'the same text' }), 'done');
  assert.equal(processed(), 1);
  const again = await submit({ scan: 'the same text' });
  await reaches(again, 'done');
  assert.equal(processed(), 1, 'reused');
  const { files, log } = await call('document.page', { document: again, page: 1 });
  assert.equal(files.length, 2);
  assert.match(log, /was read before/);
  await reaches(await submit({ scan: 'the same text' }, { again: true }), 'done');
  assert.equal(processed(), 2, 'asked for');
  await reaches(await submit({ scan: 'the same text' }, { language: 'deu' }), 'done');
  assert.equal(processed(), 3, 'another language');
  await reaches(await submit({ scan: 'the same text' }, {}, bert), 'done');
  assert.equal(processed(), 4, 'another owner');
  await engine.stages.change('read', { config: 'changed' }, 'test');
  await reaches(await submit({ scan: 'the same text' }), 'done');
  assert.equal(processed(), 5, 'another version');
});

test('an urgent document overtakes what its owner sent before', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  // Nothing is read until the pages of both documents wait.
  await engine.broker.pause('read');
  const many = Array.from({ length: 200 }, (_, index) => `page ${index}`).join('\f');
  const normal = await submit({ many });
  await assert.rejects(submit({ one: 'urgent' }, { priority: 1 }), (error) => hasCode(error, 'forbidden'));
  const urgent = await submit({ one: 'urgent' }, { priority: 1 }, { ...anna, mayPrioritise: true });
  for (const document of [normal, urgent]) {
    await eventually(
      'its pages wait',
      async () => (await call('document.show', { document })).pages.total > 0,
    );
  }
  await engine.broker.resume('read');
  await reaches(urgent, 'done');
  assert.ok((await call('document.show', { document: normal })).pages.done < 100);
  await call('document.cancel', { document: normal });
});

test('a document that could never be read, or whose webhook can’t be reached, is refused at once', async (t) => {
  const { call } = await runHouse(t, { workers: 0 });
  const refused: [object, RegExp][] = [
    [{ pipeline: 'nothing' }, /there is no pipeline nothing; there are: transcription/],
    [{ language: '../ces' }, /use the language names of Tesseract/],
    [{ formats: ['doc'] }, /formats/],
    [{ webhook: 'http://127.0.0.1/' }, /webhook: .* is not a public address/],
    [{ webhook: 'ftp://example.com/' }, /webhook: a webhook needs an http or https address/],
    [{ name: 'a\0b' }, /contains invalid characters/],
  ];
  for (const [input, reason] of refused)
    await assert.rejects(call('document.create', { name: 'x', ...input }), reason);
  assert.deepEqual((await call('document.ls')).documents, []);
});

test('a long document is retried and deleted in steps, completely', async (t) => {
  const { call, engine, submit } = await runHouse(t, { workers: 0, collects: false });
  await engine.broker.pause('split');
  const document = await submit({ many: 'many pages' });
  const [{ id: source } = { id: '' }] = (await call('document.sources', { document })).sources;
  const queries = documentQueries(engine);
  const index = createTextIndex(engine.database);
  const pages = Array.from({ length: 1203 }, (_, number) => ({
    id: `p${number}`,
    document,
    source,
    position: 1_000_000 + number,
    name: 'many',
    part: number + 1,
    state: 'failed',
    hash: 'h',
    size: 1,
    textHash: null,
    textSize: 0,
    error: 'torn',
    log: '',
    request: null,
    generation: 1,
    reuseKey: null,
    createdAt: 0,
    endedAt: 1,
  }));
  for (let start = 0; start < pages.length; start += 500) {
    await queries
      .insertInto('transcription_page')
      .values(pages.slice(start, start + 500))
      .execute();
  }
  await queries
    .insertInto('transcription_pageFile')
    .values({ page: 'p7', name: 'a', hash: 'h', size: 1 })
    .execute();
  await index.put(queries, { page: 'p1202', document, owner: 'anna', text: 'the last page' });
  assert.deepEqual(await call('document.retry', { document }), { pages: 1203, sources: 0 });
  const { pages: counts } = await call('document.show', { document });
  assert.deepEqual([counts.failed, counts.waiting + counts.running], [0, 1203]);
  await call('document.delete', { document });
  for (const table of ['transcription_page', 'transcription_pageText', 'transcription_pageFile'] as const)
    assert.deepEqual(await queries.selectFrom(table).selectAll().execute(), [], table);
  assert.deepEqual((await call('search.text', { words: 'last' })).hits, []);
});
