import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseGivenUp } from '../../engine/blobs/owners/blob-erasure.ts';
import { eventually } from '../../engine/testing/eventually.ts';
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
    60_000,
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
