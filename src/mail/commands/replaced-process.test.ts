import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../engine/time/clock.ts';
import { endOf } from './replaced-process.ts';

test('a sender ends when it needs more memory than it may, and otherwise when it is stopped', async () => {
  const stop = new AbortController();
  assert.equal(await endOf(stop.signal, systemClock, 1), 'memory');
  const ending = endOf(stop.signal, systemClock, 1_000_000);
  stop.abort();
  assert.equal(await ending, 'stopped');
});
