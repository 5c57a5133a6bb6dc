import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { hasCode } from '../ground/errors.ts';
import { ManualClock } from '../time/clock.ts';
import { Slots } from './slots.ts';

test('slots are given first come, first served, and a slot given back twice counts once', async () => {
  const slots = new Slots(1);
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
  const slots = new Slots(1, { what: '1 seats', ms: 5000, clock });
  const held = await slots.take();
  const late = slots.take();
  clock.advance(5000);
  await assert.rejects(late, (error) => hasCode(error, 'unavailable') && /1 seats/.test(error.message));
  held();
  (await slots.take())();
});

test('never more run at once than allowed, and all get their turn', async () => {
  const slots = new Slots(3);
  let running = 0;
  let most = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 50 }, () =>
      slots.run(async () => {
        most = Math.max(most, ++running);
        await setImmediate();
        running--;
        done++;
      }),
    ),
  );
  assert.deepEqual([most, done], [3, 50]);
});

test('a higher limit counts at once', async () => {
  const slots = new Slots(1);
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 3 }, () =>
    slots.run(() => new Promise<void>((resolve) => ends.push(resolve))),
  );
  assert.deepEqual([slots.used, slots.waiting], [1, 2]);
  slots.limit = 3;
  assert.deepEqual([slots.used, slots.waiting], [3, 0]);
  await setImmediate();
  for (const end of ends) end();
  await Promise.all(all);
  assert.equal(slots.used, 0);
});

test('for any limit and any work, slots are never overused, nobody overtakes, and all come back', async () => {
  const jobs = fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 8 }), turns: fc.integer({ min: 0, max: 4 }) }),
    {
      maxLength: 30,
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 8, max: 12 }), jobs, async (limit, all) => {
      const slots = new Slots(limit);
      const started: number[] = [];
      let used = 0;
      await Promise.all(
        all.map(({ count, turns }, index) =>
          slots.run(async () => {
            started.push(index);
            used += count;
            assert.ok(used <= limit, `${used} of ${limit}`);
            for (let turn = 0; turn < turns; turn++) await setImmediate();
            used -= count;
          }, count),
        ),
      );
      assert.deepEqual(started, [...all.keys()]);
      assert.deepEqual([slots.used, slots.waiting], [0, 0]);
    }),
  );
});
