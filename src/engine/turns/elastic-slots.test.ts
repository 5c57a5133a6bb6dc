import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../time/clock.ts';
import { ElasticSlots } from './elastic-slots.ts';

function opened(slots: number, extra = slots) {
  const clock = new ManualClock();
  const shares = new ElasticSlots({ slots, extra, clock });
  /** Starts what may start, and returns how many did. */
  const start = (owner: string, count: number) => {
    let started = 0;
    while (started < count && shares.mayStart(owner)) {
      shares.begin(owner);
      started++;
    }
    return started;
  };
  return { clock, shares, start };
}

test('one owner alone uses all slots, and no extra one, however long it takes', () => {
  const { clock, start } = opened(5);
  assert.equal(start('hog', 10), 5);
  clock.advance(60_000);
  assert.equal(start('hog', 10), 0);
});

test('short work never exceeds the slots, whoever waits', () => {
  const { clock, start } = opened(5);
  assert.equal(start('a', 3) + start('b', 3), 5);
  clock.advance(999);
  assert.equal(start('c', 1), 0);
});

test('each hog leaves half of the extra slots to those who come after it', () => {
  const { clock, start, shares } = opened(8);
  const got = [];
  for (const hog of ['a', 'b', 'c', 'd', 'e']) {
    got.push(start(hog, 100));
    clock.advance(1000);
  }
  assert.deepEqual(got, [8, 4, 2, 1, 1]);
  assert.equal(shares.running, 16);
  assert.equal(start('f', 1), 0);
});

test('those who wait are called as soon as work has run for a second', () => {
  const { clock, shares, start } = opened(1);
  let called = 0;
  shares.onLong = () => called++;
  start('hog', 1);
  clock.advance(999);
  assert.deepEqual([called, shares.refused], [0, undefined]);
  clock.advance(1);
  assert.deepEqual([called, shares.refused], [1, new Set(['hog'])]);
});
