import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { withinTime } from './within-time.ts';

const late = () => new Error('too late');

test('work that takes too long is told, and its caller needn’t wait for it', async () => {
  const clock = new ManualClock();
  let told: AbortSignal | undefined;
  const work = withinTime(clock, { ms: 100, late }, (signal) => {
    told = signal;
    return new Promise(() => {});
  });
  clock.advance(100);
  await assert.rejects(work, /too late/);
  assert.equal(told?.aborted, true);
});

test('work whose caller leaves is told; nothing stays behind on the caller’s signal', async () => {
  const clock = new ManualClock();
  const caller = new AbortController();
  const work = withinTime(clock, { ms: 100, signal: caller.signal, late }, () => new Promise(() => {}));
  caller.abort(new Error('gone'));
  await assert.rejects(work, /gone/);
  const fresh = new AbortController();
  assert.equal(await withinTime(clock, { ms: 100, signal: fresh.signal, late }, async () => 7), 7);
  assert.equal(getEventListeners(fresh.signal, 'abort').length, 0);
  clock.advance(1000);
});
