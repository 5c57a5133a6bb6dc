import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperations } from '../../testing/call-operations.ts';
import { writeWorker } from '../../testing/worker-nodes.ts';
import { workersPath } from '../../worker/worker-record.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });
await call('stage.create', { name: 'on-gpu', processor: 'nothing', labels: ['gpu'] });
await call('stage.create', { name: 'everywhere', processor: 'nothing', mode: 'shared' });
const { coordination, clock, settings } = engine;

test('a worker is switched, and the watchdog leaves it there for a while', async () => {
  await writeWorker(coordination, 'w1');
  const before = clock.now();
  const record = await call('worker.switch', { id: 'w1', stage: 'work' });
  assert.equal(record.stage, 'work');
  assert.ok(record.unlockAt >= before + settings.watchdog.reconfigurationMs);
  assert.equal((await call('worker.switch', { id: 'w1', stage: null })).stage, null);
});

test('a worker cannot be switched to what it cannot serve', async () => {
  await writeWorker(coordination, 'w2');
  const to = (stage: string) => call('worker.switch', { id: 'w2', stage });
  await assert.rejects(to('missing'), { code: 'stage-unknown', message: /work/ });
  await assert.rejects(to('everywhere'), { code: 'conflict', message: /shared/ });
  await assert.rejects(to('on-gpu'), { code: 'conflict', message: /gpu/ });
  await writeWorker(coordination, 'w2', { labels: ['gpu'] });
  assert.equal((await to('on-gpu')).stage, 'on-gpu');
});

test('a worker is pinned, disabled and enabled, each by itself', async () => {
  await writeWorker(coordination, 'w3');
  assert.equal((await call('worker.pin', { id: 'w3', pinned: true })).pinned, true);
  assert.deepEqual(await shown('w3'), { enabled: true, pinned: true });
  await call('worker.disable', { id: 'w3' });
  await call('worker.pin', { id: 'w3', pinned: false });
  assert.deepEqual(await shown('w3'), { enabled: false, pinned: false });
  await call('worker.enable', { id: 'w3' });
  assert.deepEqual(await shown('w3'), { enabled: true, pinned: false });
});

test('a worker is switched and pinned in one call, or stays as it was', async () => {
  await writeWorker(coordination, 'w7');
  const before = clock.now();
  const record = await call('worker.pin', { id: 'w7', stage: 'work', pinned: true });
  assert.deepEqual([record.stage, record.pinned], ['work', true]);
  assert.ok(record.unlockAt >= before + settings.watchdog.reconfigurationMs);
  for (const stage of ['on-gpu', 'everywhere', 'missing'])
    await assert.rejects(
      call('worker.pin', { id: 'w7', stage, pinned: false }),
      new RegExp(stage === 'on-gpu' ? 'gpu' : stage),
    );
  assert.deepEqual(await shown('w7'), { enabled: true, pinned: true });
  assert.equal((await call('worker.pin', { id: 'w7', pinned: true })).stage, 'work', 'no stage: it stays');
  assert.equal((await call('worker.pin', { id: 'w7', stage: null, pinned: true })).stage, null);
});

async function shown(id: string) {
  const { workers } = await call('worker.ls');
  const { enabled, pinned } = workers.find((worker: { id: string }) => worker.id === id);
  return { enabled, pinned };
}

test('a worker is forgotten when it no longer runs, not before', async () => {
  await writeWorker(coordination, 'w4');
  await assert.rejects(call('worker.forget', { id: 'w4' }), { code: 'conflict', message: /running/ });
  await writeWorker(coordination, 'w4', {}, null);
  await call('worker.forget', { id: 'w4' });
  assert.equal(await coordination.get(`${workersPath}/w4`), undefined);
  await assert.rejects(call('worker.forget', { id: 'w4' }), { code: 'not-found' });
});

test('a worker that is not there is not found', async () => {
  for (const [verb, input] of [
    ['switch', { stage: 'work' }],
    ['pin', { pinned: true }],
    ['enable', {}],
    ['disable', {}],
    ['forget', {}],
    ['stop', {}],
  ] as const) {
    await assert.rejects(call(`worker.${verb}`, { id: 'nobody', ...input }), { code: 'not-found' }, verb);
  }
});

test('the name of a worker cannot lead elsewhere in the tree', async () => {
  await assert.rejects(call('worker.forget', { id: '../stages/work' }), { code: 'invalid-input' });
});

test('one more worker is started in the process, works, and is stopped', async () => {
  assert.deepEqual(await call('worker.start', { id: 'extra', labels: ['gpu'] }), { id: 'extra' });
  await assert.rejects(call('worker.start', { id: 'extra' }), { code: 'already-exists' });
  await assert.rejects(call('worker.forget', { id: 'extra' }), { code: 'conflict' });
  await call('worker.switch', { id: 'extra', stage: 'on-gpu' });
  await call('request.submit', { stages: ['on-gpu', 'extra-done'], files: [] });
  const { results } = await call('results.take', { queue: 'extra-done', waitMs: 20_000 });
  assert.equal(results.length, 1);
  assert.equal((await call('status.show')).ratePerMinute['on-gpu'], 1);
  await call('worker.start', { id: 'other' });
  assert.deepEqual(await call('worker.stop', { id: 'extra' }), { stopped: true });
  const { workers } = await call('worker.ls');
  const state = (id: string) => workers.find((worker: { id: string }) => worker.id === id).state;
  assert.deepEqual([state('extra'), state('other')], ['DEAD', 'IDLE'], 'the others of the process go on');
  assert.deepEqual(await call('worker.stop', { id: 'extra' }), { stopped: true }, 'it has left already');
  await call('worker.forget', { id: 'extra' });
  assert.deepEqual(await call('worker.start', { id: 'extra' }), { id: 'extra' }, 'its name is free');
});

test('a worker that vanished cannot be stopped, and one that is told to stop is shown to leave', async () => {
  await writeWorker(coordination, 'w5', {}, null);
  await assert.rejects(call('worker.stop', { id: 'w5' }), { code: 'conflict', message: /vanished/ });
  await writeWorker(coordination, 'w6', { failure: 'no such file' }, { life: 'one' });
  assert.deepEqual(await call('worker.stop', { id: 'w6', waitMs: 0 }), { stopped: false });
  const find = async () =>
    (await call('worker.ls')).workers.find((worker: { id: string }) => worker.id === 'w6');
  assert.equal((await find()).stop, 'one');
  await writeWorker(coordination, 'w6', { failure: 'no such file', leftAt: 1 }, null);
  assert.equal((await find()).state, 'DEAD', 'not FAILED with the old reason');
});
