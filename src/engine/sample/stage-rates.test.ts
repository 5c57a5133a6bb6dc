import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkerPresence } from '../worker/worker-record.ts';
import { StageRates } from './stage-rates.ts';

const presence = (id: string, startedAt: number, count: number, meanMs = 10) =>
  ({ id, startedAt, timings: { read: { count, meanMs } } }) as unknown as WorkerPresence;

test('the rate is what all workers together have finished in the last minute', () => {
  const rates = new StageRates();
  assert.deepEqual(rates.add([presence('a', 1, 100)], 0), {}, 'who knows when those were');
  rates.add([presence('a', 1, 105), presence('b', 2, 5, 30)], 30_000);
  assert.deepEqual(rates.perMinute(30_000), { read: { perMinute: 20, meanMs: 20 } });
  rates.add([presence('a', 1, 105), presence('b', 2, 15, 30)], 80_000);
  assert.deepEqual(rates.perMinute(80_000), { read: { perMinute: 20, meanMs: 20 + 5 } });
  rates.add([presence('a', 1, 105), presence('b', 2, 15, 30)], 160_000);
  assert.deepEqual(rates.perMinute(160_000), {});
});

test('a worker that starts again counts from zero; one that comes back counts nothing twice', () => {
  const rates = new StageRates();
  rates.add([presence('a', 1, 100)], 0);
  assert.equal(rates.add([presence('a', 2, 3)], 10_000).read?.count, 3);
  rates.add([], 20_000);
  assert.equal(rates.add([presence('a', 2, 4)], 30_000).read?.count, 1);
});
