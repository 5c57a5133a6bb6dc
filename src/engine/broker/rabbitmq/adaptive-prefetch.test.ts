import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdaptivePrefetch } from './adaptive-prefetch.ts';

function after(times: readonly number[]): AdaptivePrefetch {
  const prefetch = new AdaptivePrefetch();
  for (const ms of times) prefetch.add(ms);
  return prefetch;
}

test('messages are taken one by one until ten were quick', () => {
  assert.equal(after(Array(9).fill(1)).isQuick, false);
  assert.equal(after(Array(10).fill(1)).isQuick, true);
  assert.equal(after(Array(100).fill(600)).isQuick, false);
});

test('messages are taken one by one again when they become long', () => {
  assert.equal(after([...Array(1000).fill(1), ...Array(40).fill(2000)]).isQuick, false);
});

test('a consumer holds one round of slow messages, and never more than a hundred quick ones', () => {
  assert.equal(after(Array(20).fill(400)).ahead(4), 8);
  assert.equal(after(Array(20).fill(10)).ahead(4), 44);
  assert.equal(after(Array(20).fill(0)).ahead(4), 104);
  assert.equal(after(Array(20).fill(0)).ahead(500), 1000);
});
