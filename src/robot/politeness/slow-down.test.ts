import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfter, type SlowDown, slowDown } from './slow-down.ts';

const random = () => 0;
const firstMs = 60_000;

test('a host that asks again and again is left alone twice as long each time, up to a day', () => {
  let state: SlowDown = { level: 0, until: 0 };
  let now = 1e12;
  const pauses: number[] = [];
  for (let time = 0; time < 14; time++) {
    state = slowDown(state, { now, firstMs, random });
    pauses.push((state.until - now) / 60_000);
    now = state.until + 1;
  }
  assert.deepEqual(pauses.slice(0, 4), [1, 2, 4, 8]);
  assert.equal(pauses.at(-1), 24 * 60);
});

test('several answers of one batch count once', () => {
  const now = 1e12;
  const once = slowDown({ level: 0, until: 0 }, { now, firstMs, random });
  assert.deepEqual(slowDown(once, { now: now + 10, firstMs, random }), once);
});

test('after half an hour without trouble all is forgiven', () => {
  const now = 1e12;
  const state = slowDown({ level: 5, until: now - 31 * 60_000 }, { now, firstMs, random });
  assert.equal(state.level, 1);
});

test('Retry-After is honoured as seconds and as a date, but not beyond a day', () => {
  const now = Date.UTC(2024, 0, 1);
  assert.equal(readRetryAfter('120', now), 120_000);
  assert.equal(readRetryAfter('Mon, 01 Jan 2024 00:05:00 GMT', now), 300_000);
  assert.equal(readRetryAfter('soon', now), undefined);
  assert.equal(readRetryAfter('99999999999999', now), 24 * 60 * 60_000);
  const long = slowDown({ level: 0, until: 0 }, { now, firstMs, random, retryAfterMs: 1e12 });
  assert.equal(long.until - now, 24 * 60 * 60_000);
});
