import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, windowOf } from './table.ts';

test('of 10,000 rows only those in sight and a few around are drawn', () => {
  const rows = { height: 720, rowHeight: 36, total: 10_000 };
  assert.deepEqual(windowOf({ ...rows, top: 0 }), { first: 0, last: 28 });
  assert.deepEqual(windowOf({ ...rows, top: 36 * 5000 }), { first: 4992, last: 5028 });
  assert.deepEqual(windowOf({ ...rows, top: 36 * 9_999 }), { first: 9991, last: 10_000 });
});

test('a list that has become shorter than where one was draws nothing beyond its end', () => {
  assert.deepEqual(windowOf({ top: 100_000, height: 720, rowHeight: 36, total: 3 }), { first: 3, last: 3 });
  assert.deepEqual(windowOf({ top: 0, height: 720, rowHeight: 36, total: 0 }), { first: 0, last: 0 });
});

test('rows in sight are asked for in whole blocks', () => {
  assert.deepEqual(blocksOf(0, 28, 100), [0]);
  assert.deepEqual(blocksOf(92, 128, 100), [0, 1]);
  assert.deepEqual(blocksOf(100, 200, 100), [1]);
  assert.deepEqual(blocksOf(3, 3, 100), []);
});
