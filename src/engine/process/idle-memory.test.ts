import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { collectBuffers, freeMemoryWhenIdle } from './idle-memory.ts';

test('an idle process gives back the memory that its busy time took', async () => {
  const clock = new ManualClock();
  const stop = freeMemoryWhenIdle(clock);
  const heap = () => process.memoryUsage().heapTotal / 1024 / 1024;
  const before = heap();
  let work: unknown[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({
    index,
    name: `m${index}`,
  }));
  const busy = heap();
  assert.ok(work.length > 0 && busy > before + 32, `the heap has ${busy} MB, it had ${before}`);
  work = undefined;
  await eventually('the heap is small again', () => {
    clock.advance(5_000);
    return heap() < before + 16;
  });
  stop();
});

test('buffers that were used and dropped are freed soon, without a full collection', async () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 32; count++) Buffer.allocUnsafeSlow(1024 * 1024).fill(1);
  const dropped = process.memoryUsage().arrayBuffers - before;
  assert.ok(dropped > 4 * 1024 * 1024, `${dropped} bytes wait to be collected`);
  collectBuffers();
  // Another thread frees them.
  const isFreed = () => process.memoryUsage().arrayBuffers - before < 4 * 1024 * 1024;
  await eventually('they are freed', isFreed);
});
