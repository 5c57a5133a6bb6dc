import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunks } from './chunks.ts';

test('a list is handed out in portions, in its order; the last may be shorter', () => {
  assert.deepEqual([...chunks([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
  assert.deepEqual([...chunks([1, 2], 2)], [[1, 2]]);
  assert.deepEqual([...chunks([], 2)], []);
});
