import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../ground/identity.ts';
import { ManualClock, sleep } from './clock.ts';

test('a manual clock fires due callbacks in order of time, each at its own moment', () => {
  const clock = new ManualClock(1000);
  const fired: [string, number][] = [];
  clock.after(20, () => fired.push(['late', clock.now()]));
  clock.after(10, () => {
    fired.push(['early', clock.now()]);
    clock.after(5, () => fired.push(['chained', clock.now()]));
  });
  clock.after(12, () => fired.push(['cancelled', 0]))();
  clock.advance(30);
  assert.deepEqual(fired, [
    ['early', 1010],
    ['chained', 1015],
    ['late', 1020],
  ]);
  assert.equal(clock.now(), 1030);
});

test('a sleep ends early when its signal aborts', async () => {
  const stop = new AbortController();
  const sleeping = sleep(new ManualClock(), 1e9, stop.signal);
  stop.abort();
  await sleeping;
});

test('ids are unique and sort in the order they were made, even within a millisecond and when the clock steps back', () => {
  const clock = new ManualClock();
  const ids = Array.from({ length: 10_000 }, (_, index) => {
    if (index === 5_000) clock.advance(-50);
    return newId(clock);
  });
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.match(ids[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
