import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { changeWorker, listWorkers, type WorkerRecord } from './worker-record.ts';

const record: WorkerRecord = {
  id: 'w1',
  host: 'h',
  labels: [],
  stage: null,
  enabled: true,
  pinned: false,
  unlockAt: 0,
  registeredAt: 1,
  failure: null,
  leftAt: null,
};

test('a worker without a presence is DEAD, and a spoiled node hides nobody', async (t) => {
  const { coordination } = await openEmbedded(t);
  await coordination.set('/workers/w1', JSON.stringify(record));
  await coordination.set('/workers/w2', '{"id":');
  await coordination.set('/presence/w1', 'nonsense');
  const workers = await listWorkers(coordination);
  assert.deepEqual(
    workers.map((worker) => [worker.record.id, worker.state]),
    [['w1', 'DEAD']],
  );
});

test('changes made at the same moment are both kept', async (t) => {
  const { coordination } = await openEmbedded(t);
  await coordination.set('/workers/w1', JSON.stringify({ ...record, unlockAt: 0 }));
  const add = () => changeWorker(coordination, 'w1', (old) => ({ ...old, unlockAt: old.unlockAt + 1 }));
  await Promise.all(Array.from({ length: 20 }, add));
  assert.equal((await listWorkers(coordination))[0]?.record.unlockAt, 20);
});

test('there is no worker to change: the error says how to find those that are there', async (t) => {
  const { coordination } = await openEmbedded(t);
  await assert.rejects(
    changeWorker(coordination, 'w9', (old) => old),
    { code: 'not-found', message: /worker ls/ },
  );
});
