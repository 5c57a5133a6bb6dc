import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseGivenUp } from '../../engine/blob-owners/blob-erasure.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { bert, type RunningTranscription, runHouse } from '../testing/running-transcription.ts';
import { collectQueue } from './document.ts';

/** A document whose second and later pages are read for ever; resolves when four of them are. */
async function startEndless({ call, engine, submit }: RunningTranscription): Promise<string> {
  const pages = Array.from({ length: 100 }, (_, index) => `endless ${index}`);
  const document = await submit({ many: ['fine', ...pages].join('\f') });
  await eventually(
    'four pages are being read',
    async () =>
      (await engine.broker.status('read')).inFlight === 4 &&
      (await call('document.show', { document })).pages.done === 1,
  );
  return document;
}

async function nothingRuns({ engine }: RunningTranscription): Promise<void> {
  await eventually('nothing waits or runs', async () => {
    const queues = await Promise.all(
      ['split', 'read', collectQueue].map((name) => engine.broker.status(name)),
    );
    return queues.every(({ ready, delayed, inFlight }) => ready.normal + delayed + inFlight === 0);
  });
}

test('cancelling a document ends what runs and what waits, and lets others go on', async (t) => {
  const house = await runHouse(t);
  const { call, engine, submit, reaches } = house;
  const document = await startEndless(house);
  const other = await submit({ letter: 'one\ftwo' }, {}, bert);
  assert.deepEqual(await call('document.cancel', { document }), { pages: 100 });
  await reaches(other, 'done');
  await nothingRuns(house);
  const shown = await call('document.show', { document });
  assert.equal(shown.state, 'cancelled');
  const { done, failed, cancelled, running, waiting } = shown.pages;
  assert.deepEqual([done, cancelled, failed, running, waiting], [1, 100, 0, 0, 0]);
  await call('document.cancel', { document });
  await eraseGivenUp(engine);
  const owners = await engine.database.query.selectFrom('blobRef').select('owner').distinct().execute();
  const left = owners.filter(({ owner }) => owner.startsWith('request:'));
  assert.deepEqual(left, [], 'no request holds on to its blobs');
  const { dead } = await engine.broker.status('read');
  assert.equal(dead, 0);
});

test('deleting a document ends its work too', async (t) => {
  const house = await runHouse(t);
  const document = await startEndless(house);
  await house.call('document.delete', { document });
  await nothingRuns(house);
  const { query } = house.engine.database;
  assert.deepEqual(await query.selectFrom('blobRef').selectAll().execute(), []);
});

test('sending again what is under way ends the old requests', async (t) => {
  const house = await runHouse(t);
  const { call, engine } = house;
  const document = await startEndless(house);
  // What was released a moment ago still counts as waiting.
  const pages = await eventually(
    'they are sent again',
    async () => (await call('document.retry', { document, unfinished: true })).pages,
  );
  const listed = await engine.database.query.selectFrom('cancelled').selectAll().execute();
  assert.equal(listed.length, pages);
  await call('document.cancel', { document });
  await nothingRuns(house);
});

test('a cancelled document can be resumed: finished pages stay, the others are read', async (t) => {
  const house = await runHouse(t);
  const { call, engine, reaches } = house;
  const document = await startEndless(house);
  const again = call('document.resume', { document });
  await assert.rejects(again, /is not cancelled/);
  await call('document.cancel', { document });
  await assert.rejects(call('document.retry', { document }), /document resume/);
  // With this configuration they end.
  await engine.stages.change('read', { config: 'finite' }, 'test');
  assert.deepEqual(await call('document.resume', { document }), { pages: 100, sources: 0 });
  await reaches(document, 'done');
  const { pages } = await call('document.pages', { document, limit: 200 });
  const sent = pages.map(({ generation }: { generation: number }) => generation);
  assert.deepEqual([sent[0], new Set(sent.slice(1))], [1, new Set([2])]);
  await nothingRuns(house);
});

test('a document that was cancelled before it was submitted is open again when resumed', async (t) => {
  const { call, engine, reaches } = await runHouse(t);
  const { id: document } = await call('document.create', { name: 'test' });
  const { hash } = await putFor(engine, 'anna', Buffer.from('one'));
  await call('document.add', { document, name: 'a', hash });
  await call('document.cancel', { document });
  await call('document.resume', { document });
  assert.equal((await call('document.show', { document })).state, 'open');
  await call('document.submit', { document });
  await reaches(document, 'done');
});
