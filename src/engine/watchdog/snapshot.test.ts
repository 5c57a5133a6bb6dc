import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import type { WorkerPresence } from '../worker/worker-record.ts';
import { read, toSnapshot } from './snapshot.ts';

test('what a worker of another process has in hand counts, though the broker here does not know of it', async (t) => {
  const parts = await openEmbedded(t);
  await parts.stages.create({ name: 'ocr', processor: 'nothing' }, 'test');
  const inFlight = async () => toSnapshot(await read(parts), {}, 0).stages.map((stage) => stage.inFlight);
  // Three of shared stages say nothing about this one.
  await writeWorker(parts.coordination, 'w1', { stage: 'ocr' }, { stage: 'ocr', inFlight: 3 });
  assert.deepEqual(await inFlight(), [0]);
  const busy = { stage: 'ocr', inFlight: 4, inFlightOfStage: 1 };
  await writeWorker(parts.coordination, 'w1', { stage: 'ocr' }, busy);
  await writeWorker(parts.coordination, 'w2', { stage: 'ocr' }, busy);
  assert.deepEqual(await inFlight(), [2]);
});

test('what a worker reports of its message and its switches is known to the policy', async (t) => {
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
  // While it switches it is as good as there, and a clock that is ahead makes no negative times.
  const { serving, busyMs } = await told({ stage: null, busySince: 9000 });
  assert.deepEqual({ serving, busyMs }, { serving: 'next', busyMs: 0 });
});

test('where messages go is told in shares, through shared stages to the next one that is planned', async (t) => {
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
  // A quarter goes there at once, and nearly all of the half that is corrected first, some of it in circles.
  assert.ok((next.read ?? 0) > 0.7 && (next.read ?? 0) < 0.75, `${next.read}`);
  assert.equal(next.check, 0);
});
