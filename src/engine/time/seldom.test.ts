import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { Seldom } from './seldom.ts';

test('costly work is repeated only after fifty times as long as it took; a failure is no answer', async () => {
  const clock = new ManualClock();
  let runs = 0;
  const seldom = new Seldom(clock, async () => {
    runs++;
    clock.advance(100);
    if (runs === 2) throw new Error('not now');
    return runs;
  });
  assert.equal(await seldom.get(), 1);
  clock.advance(4_999);
  assert.equal(await seldom.get(), 1);
  clock.advance(1);
  await assert.rejects(seldom.get());
  assert.equal(await seldom.get(), 3);
});
