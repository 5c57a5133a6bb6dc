import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeOperation } from '../../engine/operation/execute-operation.ts';
import { queueOperations } from '../../engine/operation/operations/queue.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import type { Engine } from '../database/database.ts';
import { collectQueue } from '../documents/document.ts';
import { admin, runHouse } from '../testing/running-transcription.ts';

async function operate(engine: Engine, name: string, queue: string): Promise<void> {
  const operation = queueOperations.find((one) => one.name === name);
  assert.ok(operation);
  await executeOperation(engine, operation, admin, { queue }, new AbortController().signal);
}

async function waiting({ broker }: Engine, queue: string, count: number): Promise<void> {
  await eventually(
    `${count} messages wait for ${queue}`,
    async () => (await broker.status(queue)).ready.normal === count,
  );
}

test('pages purged from a queue fail with the reason, others continue, and a retry reads them', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  await engine.stages.create({ name: 'late', processor: 'test.read', mode: 'shared' }, 'test');
  await engine.pipelines.create({ name: 'two', stages: ['read', 'late', collectQueue], owner: 'local' });
  await engine.broker.pause('late');
  const lost = await submit({ scan: 'first\fsecond' }, { pipeline: 'two' });
  await waiting(engine, 'late', 2);
  await engine.broker.purge('late');
  const other = await submit({ scan: 'third' }, { pipeline: 'two' });
  await waiting(engine, 'late', 1);
  // Any change to a queue triggers the search for lost requests.
  await operate(engine, 'queue.pause', 'late');
  await reaches(lost, 'failed');
  const { pages } = await call('document.pages', { document: lost });
  for (const { state, error } of pages) {
    assert.equal(state, 'failed');
    assert.match(error, /purged from a queue.*document retry/);
  }
  assert.equal((await call('document.show', { document: other })).pages.running, 1);
  await engine.broker.resume('late');
  await reaches(other, 'done');
  assert.deepEqual(await call('document.retry', { document: lost }), { pages: 2, sources: 0 });
  await reaches(lost, 'done');
  const owners = await engine.database.query.selectFrom('blobRef').select('owner').distinct().execute();
  assert.deepEqual(
    owners.filter(({ owner }) => owner.startsWith('request:')),
    [],
    'intermediate files have no owner',
  );
});

test('a source whose message was discarded with the dead letters fails, and a retry opens it', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t, { workers: 0 });
  const document = await submit({ scan: 'text' });
  const consumer = await engine.broker.consume('split', { concurrency: 1 }, (delivery) =>
    delivery.deadLetter('nobody knows why'),
  );
  await eventually('it is dead', async () => (await engine.broker.status('split')).dead === 1);
  await consumer.close();
  await operate(engine, 'queue.discard', 'split');
  await reaches(document, 'failed');
  const { sources } = await call('document.sources', { document });
  assert.match(sources[0].error, /discarded with the dead letters/);
  await engine.workers.start();
  assert.deepEqual(await call('document.retry', { document }), { pages: 0, sources: 1 });
  await reaches(document, 'done');
});
