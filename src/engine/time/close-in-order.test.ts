import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { closeInOrder } from './close-in-order.ts';

test('a part whose close fails or never ends does not keep the others open', async () => {
  const clock = new ManualClock();
  const closed: string[] = [];
  const steps = [
    () => closed.push('first opened'),
    () => new Promise(() => clock.advance(0)),
    () => Promise.reject(new Error('no answer')),
    () => {
      throw new Error('never was');
    },
    async () => closed.push('last opened'),
  ];
  const closing = closeInOrder(clock, 1000, steps);
  const failing = assert.rejects(closing, /never was/);
  // Until the one that never ends has started.
  while (steps.length > 0 || closed.length === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  clock.advance(1000);
  await failing;
  assert.deepEqual(closed, ['last opened', 'first opened']);
});
