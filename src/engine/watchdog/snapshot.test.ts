import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequest } from '../request/request.ts';
import { requestItem } from '../request/request-item.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import type { WorkerPresence } from '../worker/worker-record.ts';
import { read, toSnapshot } from './snapshot.ts';

test('messages held by workers of other processes count, though the local broker does not know them', async (t) => {
  const parts = await openEmbedded(t);
  await parts.stages.create({ name: 'ocr', processor: 'nothing' }, 'test');
  const inFlight = async () => toSnapshot(await read(parts), {}, 0).stages.map((stage) => stage.inFlight);
  // Three messages of shared stages say nothing about this stage.
  await writeWorker(parts.coordination, 'w1', { stage: 'ocr' }, { stage: 'ocr', inFlight: 3 });
  assert.deepEqual(await inFlight(), [0]);
  const busy = { stage: 'ocr', inFlight: 4, inFlightOfStage: 1 };
  await writeWorker(parts.coordination, 'w1', { stage: 'ocr' }, busy);
  await writeWorker(parts.coordination, 'w2', { stage: 'ocr' }, busy);
  assert.deepEqual(await inFlight(), [2]);
});

test('what waits in the backlog counts as waiting, unless a later queue holds it back', async (t) => {
  const parts = await openEmbedded(t);
  for (const name of ['read', 'check']) await parts.stages.create({ name, processor: 'nothing' }, 'test');
  const add = (uuid: string, stages: string[], paused = false) =>
    parts.database.transaction((transaction) => {
      const request = newRequest({ uuid, stages, files: [], startedAt: 0 });
      return parts.backlog.add(transaction, [requestItem(request, { batch: 'b', paused })]);
    });
  await add('1', ['read', 'out']);
  await add('2', ['read', 'check', 'out']);
  await add('3', ['read', 'out'], true);
  await parts.broker.publish('read', { id: 'm', body: Buffer.from('') });
  const lengths = async () =>
    Object.fromEntries(toSnapshot(await read(parts), {}, 0).stages.map(({ name, length }) => [name, length]));
  assert.deepEqual(await lengths(), { read: 3, check: 0 });
  for (let index = 0; index < 100; index++)
    await parts.broker.publish('check', { id: `m${index}`, body: Buffer.from('') });
  assert.deepEqual(await lengths(), { read: 2, check: 100 });
});

test('the policy knows what a worker reports about its message and its switches', async (t) => {
  const parts = await openEmbedded(t);
  const told = async (presence: Partial<WorkerPresence>) => {
    await writeWorker(parts.coordination, 'w1', { stage: 'next' }, presence);
    const [worker] = toSnapshot(await read(parts), {}, 5000).workers;
    const { stage, serving, busyMs, loaded, coldMs, warmMs } = worker ?? {};
    return { stage, serving, busyMs, loaded, coldMs, warmMs };
  };
  assert.deepEqual(
    await told({ stage: 'ocr', busySince: 2000, loaded: ['ocr', 'next'], coldMs: 900, warmMs: 3 }),
    { stage: 'next', serving: 'ocr', busyMs: 3000, loaded: ['ocr', 'next'], coldMs: 900, warmMs: 3 },
  );
  // A switching worker counts as there, and a clock that is ahead makes no negative times.
  const { serving, busyMs } = await told({ stage: null, busySince: 9000 });
  assert.deepEqual({ serving, busyMs }, { serving: 'next', busyMs: 0 });
});

test('transitions are shares, through shared stages to the next planned stage', async (t) => {
  const parts = await openEmbedded(t);
  for (const name of ['read', 'check']) await parts.stages.create({ name, processor: 'nothing' }, 'test');
  for (const name of ['correct', 'tell'])
    await parts.stages.create({ name, processor: 'nothing', mode: 'shared' }, 'test');
  const averages = {
    read: { count: 8, meanMs: 100, next: { correct: 4, check: 2 } },
    correct: { count: 10, meanMs: 1, next: { check: 5, tell: 5 } },
    tell: { count: 10, meanMs: 1, next: { correct: 10 } },
  };
  const { stages } = toSnapshot(await read(parts), averages, 0);
  const next = Object.fromEntries(stages.map((stage) => [stage.name, stage.next?.check ?? 0]));
  // A quarter goes there directly, and nearly all of the half that is corrected first, some of it in a cycle.
  assert.ok((next.read ?? 0) > 0.7 && (next.read ?? 0) < 0.75, `${next.read}`);
  assert.equal(next.check, 0);
});
