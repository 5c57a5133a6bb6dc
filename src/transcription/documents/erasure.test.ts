import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { eraseGivenUp } from '../../engine/blob-owners/blob-erasure.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { decodeRequest, newFile, newStageLog, toMessage } from '../../engine/request/request.ts';
import { storeLarge } from '../../engine/request/result-files.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { addPart } from '../../engine/upload/uploads.ts';
import type { Engine } from '../database/database.ts';
import { runTranscription } from '../parts.ts';
import { bert, runHouse } from '../testing/running-transcription.ts';
import { collectQueue } from './document.ts';

/** Two minutes ahead of the disk, so every blob is old enough to be erased. */
const later: Clock = { ...systemClock, now: () => systemClock.now() + 120_000 };

async function storedBlobs({ blobs }: Engine): Promise<string[]> {
  const found = [];
  for await (const { hash } of blobs.list()) found.push(hash);
  return found;
}

async function rowsOf({ database }: Engine): Promise<number> {
  let count = 0;
  const tables = [
    'transcription_document',
    'transcription_source',
    'transcription_page',
    'transcription_pageFile',
    'transcription_pageText',
    'transcription_keyword',
    'blobRef',
    'backlog',
  ] as const;
  for (const table of tables) count += (await database.query.selectFrom(table).selectAll().execute()).length;
  return count;
}

test('a deleted document leaves no rows, texts, search hits or bytes', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t, { clock: later });
  const document = await submit({ one: 'about a secret\fpictured secret', two: 'unreadable' });
  await reaches(document, 'partly');
  assert.equal((await call('search.text', { words: 'secret' })).hits.length, 2);
  assert.ok((await storedBlobs(engine)).length > 0);
  await call('document.delete', { document });
  assert.deepEqual((await call('search.text', { words: 'secret' })).hits, []);
  await eventually('no bytes are left', async () => (await storedBlobs(engine)).length === 0);
  assert.equal(await rowsOf(engine), 0);
  await assert.rejects(call('document.show', { document }), (error) => hasCode(error, 'not-found'));
});

test('bytes shared with another document stay until that one is deleted too', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t, { clock: later });
  const mine = await submit({ one: 'the same' });
  const theirs = await submit({ one: 'the same' }, {}, bert);
  await Promise.all([reaches(mine, 'done'), reaches(theirs, 'done')]);
  await call('document.delete', { document: mine });
  const { files } = await call('document.page', { document: theirs, page: 1 }, bert);
  const kept = await storedBlobs(engine);
  for (const { hash } of files) assert.ok(kept.includes(hash));
  assert.equal((await call('search.text', { words: 'same' }, bert)).hits.length, 1);
  await call('document.delete', { document: theirs }, bert);
  assert.deepEqual(await storedBlobs(engine), []);
});

test('bytes uploaded in parts are deleted with their document, and no longer count as an upload', async (t) => {
  const { call, engine } = await runHouse(t, { clock: later, workers: 0 });
  const { upload } = await call('upload.create');
  for (const [offset, text] of ['a ', 'secret'].entries())
    await addPart(engine, upload, offset * 2, Readable.from([Buffer.from(text)]));
  const { hash } = await call('upload.finish', { upload });
  const { id: document } = await call('document.create', { name: 'in parts' });
  await call('document.add', { document, name: 'one', hash });
  assert.deepEqual(await call('upload.ls'), { uploads: [] });
  await call('document.delete', { document });
  assert.deepEqual(await storedBlobs(engine), []);
  assert.deepEqual(await engine.database.query.selectFrom('blobPut').selectAll().execute(), []);
});

test('late results of a deleted or cancelled document are dropped with their bytes', async (t) => {
  const { call, engine, submit } = await runHouse(t, { clock: later, workers: 0, collects: false });
  const documents = [await submit({ one: 'one' }), await submit({ two: 'two' })];
  const [deleted, cancelled] = documents;
  // As a worker would send them: with a large file.
  for (const item of await engine.database.query.selectFrom('backlog').selectAll().execute()) {
    const request = decodeRequest(item.body);
    request.processingStages = [collectQueue];
    request.results.push(newFile('pages/0001', Buffer.alloc(100_000, request.uuid)));
    request.logs.push(
      newStageLog({
        hostId: 'w',
        stage: 'split',
        version: 1,
        attempt: 1,
        startedAt: 1,
        endedAt: 2,
        status: 'OK',
        log: '',
      }),
    );
    await storeLarge(engine, request);
    await engine.broker.declare(collectQueue);
    await engine.broker.publish(collectQueue, toMessage(request));
  }
  await call('document.delete', { document: deleted });
  await call('document.cancel', { document: cancelled });
  const house = await runTranscription(engine);
  await eventually('both were taken', async () => {
    const { ready, inFlight } = await engine.broker.status(collectQueue);
    return ready.normal + inFlight === 0;
  });
  await house.close();
  await eraseGivenUp(engine);
  assert.equal((await call('document.show', { document: cancelled })).pages.total, 0);
  const [source] = (await call('document.sources', { document: cancelled })).sources;
  assert.deepEqual(await storedBlobs(engine), [source.hash], 'only the source of the cancelled one is left');
});

test('bytes stored a moment ago are not erased: somebody may be about to use them', async (t) => {
  const { call, engine, submit } = await runHouse(t, { workers: 0 });
  const document = await submit({ one: 'fresh' });
  await call('document.delete', { document });
  assert.equal((await storedBlobs(engine)).length, 1);
  assert.equal(await eraseGivenUp({ ...engine, clock: later }), 1);
  assert.deepEqual(await storedBlobs(engine), []);
});
