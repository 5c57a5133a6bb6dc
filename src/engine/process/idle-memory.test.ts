import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { freeMemoryWhenIdle } from './idle-memory.ts';

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
