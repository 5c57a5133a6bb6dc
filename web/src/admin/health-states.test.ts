import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateState, diskState } from './health-states.ts';

test('a certificate warns two weeks before its end, and fails when it has ended or cannot be read', () => {
  const day = 86_400_000;
  const now = Date.UTC(2026, 2, 18);
  assert.deepEqual(
    [now + 15 * day, now + 13 * day, now, null].map((end) => certificateState(end, now)),
    ['ok', 'warning', 'failed', 'failed'],
  );
});

test('a disk warns below a tenth free', () => {
  assert.deepEqual(
    [diskState(20, 100), diskState(9, 100), diskState(1, 100), diskState(null, null)],
    ['ok', 'warning', 'failed', 'warning'],
  );
});
