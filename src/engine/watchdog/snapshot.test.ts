import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
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
