import assert from 'node:assert/strict';
import test from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import { ManualClock } from '../time/clock.ts';
import { servingSlots } from './serving-slots.ts';

test('slots are the number of messages that the live workers of a stage can process at once', async (t) => {
  const clock = new ManualClock();
  const it = await openEmbedded(t, { clock });
  await it.stages.create({ name: 'ocr', processor: 'nothing', concurrency: 2 }, 'test');
  await it.stages.create(
    { name: 'deliver', processor: 'nothing', mode: 'shared', concurrency: 10, labels: ['net'] },
    'test',
  );
  await writeWorker(it.coordination, 'w1', { stage: 'ocr', labels: ['net'] });
  await writeWorker(it.coordination, 'w2', { stage: 'ocr' });
  await writeWorker(it.coordination, 'elsewhere', { stage: 'other' });
  await writeWorker(it.coordination, 'disabled', { stage: 'ocr', enabled: false });
  await writeWorker(it.coordination, 'dead', { stage: 'ocr' }, null);
  const slots = servingSlots(it);
  assert.deepEqual(await Promise.all(['ocr', 'deliver', 'no-stage'].map(slots)), [4, 10, 0]);

  await writeWorker(it.coordination, 'w3', { stage: 'ocr' });
  assert.equal(await slots('ocr'), 4, 'not counted again for a second');
  clock.advance(1000);
  assert.equal(await slots('ocr'), 6);
});
