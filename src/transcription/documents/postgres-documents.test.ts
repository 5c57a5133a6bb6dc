import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { documentQueries } from '../database/database.ts';
import { admin, runHouse } from '../testing/running-transcription.ts';

const server = await sharedPostgres();
after(() => server.close());
/** Two minutes ahead, so every blob is old enough to be erased at once. */
const later: Clock = { ...systemClock, now: () => systemClock.now() + 120_000 };

test('with PostgreSQL as every server, a document is read, found, retried and erased', async (t) => {
  const url = await server.createDatabase();
  const settings = { broker: url, coordination: url, database: url, blobs: url };
  const { call, engine, submit, reaches } = await runHouse(t, { settings, clock: later });
  const many = Array.from({ length: 30 }, (_, index) => `Žluťoučký kůň číslo ${index}`).join('\f');
  const document = await submit({ many, 'a\n"b"🦉': 'unreadable\fbad page', bad: 'bad' });
  await reaches(document, 'partly');
  const shown = await call('document.show', { document });
  assert.deepEqual(shown.pages, {
    total: 32,
    waiting: 0,
    running: 0,
    done: 30,
    doubtful: 0,
    noText: 0,
    failed: 2,
    cancelled: 0,
  });
  assert.equal((await call('document.ls')).documents[0].pages.done, 30);
  const { hits } = await call('search.text', { words: '"kun cislo 7"', places: true });
  assert.deepEqual([hits.length, hits[0].page, hits[0].places.length], [1, 8, 3]);
  assert.deepEqual(await call('document.retry', { document }), { pages: 1, sources: 1 });
  await reaches(document, 'partly');
  const again = await submit({ many });
  await reaches(again, 'done');
  assert.match((await call('document.page', { document: again, page: 30 })).log, /was read before/);
  // One was sent again.
  assert.deepEqual([(await call('usage.ls')).usage[0].pages, (await call('usage.show')).pages], [63, 63]);
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 63 }, admin);
  await assert.rejects(submit({ more: 'more' }), /used 63 of 63 pages this month/);
  for (const id of [document, again]) await call('document.delete', { document: id });
  assert.deepEqual((await call('search.text', { words: 'kun' })).hits, []);
  for (const table of [
    'transcription_page',
    'transcription_source',
    'transcription_pageFile',
    'transcription_pageText',
  ] as const) {
    const rows = await documentQueries(engine).selectFrom(table).selectAll().execute();
    assert.ok(rows.every((row) => 'document' in row && ![document, again].includes(String(row.document))));
  }
});

test('on PostgreSQL, a source purged from a queue fails instead of running for ever', async (t) => {
  const url = await server.createDatabase();
  const settings = { broker: url, coordination: url, database: url, blobs: url };
  const { call, engine, submit, reaches } = await runHouse(t, { settings, workers: 0 });
  const document = await submit({ scan: 'text' });
  await eventually('it is purged', async () => (await engine.broker.purge('split')) === 1);
  engine.changes.add({ kind: 'queue', entity: 'split' });
  await reaches(document, 'failed');
  const { sources } = await call('document.sources', { document });
  assert.match(sources[0].error, /purged from a queue/);
});
