import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../errors.ts';
import { ManualClock } from '../../time/clock.ts';
import { Slots } from './slots.ts';

test('slots are given first come, first served, and a slot given back twice counts once', async () => {
  const slots = new Slots(1, 'seats');
  const order: number[] = [];
  const take = async (number: number) => {
    const giveBack = await slots.take();
    order.push(number);
    giveBack();
    giveBack();
  };
  const held = await slots.take();
  const all = Promise.all([1, 2, 3].map(take));
  assert.deepEqual(order, []);
  held();
  await all;
  assert.deepEqual(order, [1, 2, 3]);
});

test('a caller that waits too long gets an error and leaves the queue', async () => {
  const clock = new ManualClock();
  const slots = new Slots(1, '1 seats', 5000, clock);
  const held = await slots.take();
  const late = slots.take();
  clock.advance(5000);
  await assert.rejects(late, (error) => hasCode(error, 'unavailable') && /1 seats/.test(error.message));
  held();
  (await slots.take())();
});
