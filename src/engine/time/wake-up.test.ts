import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from './clock.ts';
import { WakeUp } from './wake-up.ts';

const never = new AbortController().signal;

test('a call of wake ends the wait long before the time is up', async () => {
  const wakeUp = new WakeUp();
  const waiting = wakeUp.wait(new ManualClock(), 1e9, never);
  wakeUp.wake();
  await waiting;
});

test('a call of wake while nothing waits ends the next wait, once', async () => {
  const clock = new ManualClock();
  const wakeUp = new WakeUp();
  wakeUp.wake();
  wakeUp.wake();
  await wakeUp.wait(clock, 1e9, never);
  let woken = false;
  const again = wakeUp.wait(clock, 1000, never).then(() => {
    woken = true;
  });
  await Promise.resolve();
  assert.equal(woken, false);
  clock.advance(1000);
  await again;
});

test('an aborted signal ends the wait', async () => {
  const stop = new AbortController();
  const waiting = new WakeUp().wait(new ManualClock(), 1e9, stop.signal);
  stop.abort();
  await waiting;
});
