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

test('all parts together have one time limit, and the result says whether it was enough', async () => {
  const clock = new ManualClock();
  const never = () => new Promise(() => {});
  const began: number[] = [];
  const hanging = () => {
    began.push(clock.now());
    return never();
  };
  const closing = closeInOrder(clock, 1000, [hanging, hanging, hanging]);
  const start = clock.now();
  for (const at of [0, 500, 750, 1000]) {
    clock.advance(start + at - clock.now());
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  }
  assert.equal(await closing, false);
  assert.deepEqual(
    began.map((at) => at - start),
    [0, 500, 750],
  );
  assert.equal(await closeInOrder(clock, 1000, [() => {}]), true);
});
