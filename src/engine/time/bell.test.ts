import assert from 'node:assert/strict';
import test from 'node:test';
import { Bell } from './bell.ts';
import { ManualClock } from './clock.ts';

const never = new AbortController().signal;

test('a ring wakes the waiter long before the time is up', async () => {
  const bell = new Bell();
  const waiting = bell.wait(new ManualClock(), 1e9, never);
  bell.ring();
  await waiting;
});

test('a ring without a waiter wakes the next waiter, once', async () => {
  const clock = new ManualClock();
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(clock, 1e9, never);
  let woken = false;
  const again = bell.wait(clock, 1000, never).then(() => {
    woken = true;
  });
  await Promise.resolve();
  assert.equal(woken, false);
  clock.advance(1000);
  await again;
});

test('an aborted signal ends the wait', async () => {
  const stop = new AbortController();
  const waiting = new Bell().wait(new ManualClock(), 1e9, stop.signal);
  stop.abort();
  await waiting;
});
