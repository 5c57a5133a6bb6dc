import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdaptivePrefetch } from './adaptive-prefetch.ts';

test('as many are fetched ahead as handlers start within a tenth of a second', () => {
  const prefetch = new AdaptivePrefetch();
  assert.equal(prefetch.ahead(4), 0);
  prefetch.finished(10);
  assert.equal(prefetch.ahead(4), 40);
  prefetch.stillRunning(5000);
  assert.equal(prefetch.ahead(4), 0);
});

test('on a slow server as many are fetched ahead as handlers start within four claims, yet within half a second', () => {
  const prefetch = new AdaptivePrefetch();
  prefetch.finished(10);
  for (let count = 0; count < 100; count++) prefetch.claimed(50);
  assert.equal(prefetch.ahead(1), 19);
  for (let count = 0; count < 100; count++) prefetch.claimed(3000);
  assert.equal(prefetch.ahead(1), 50);
});

test('large messages are fetched ahead only as far as they fit into memory', () => {
  const prefetch = new AdaptivePrefetch();
  prefetch.finished(0.01);
  assert.equal(prefetch.ahead(10), 10_000);
  for (let count = 0; count < 100; count++) prefetch.fetched(16 * 1024 * 1024);
  assert.equal(prefetch.ahead(10), 2);
});
