import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeline } from './monotonic.ts';

test('logged requests keep their distances when the machine sets its clock back', (t) => {
  let now = 1_700_000_000_000;
  t.mock.method(Date, 'now', () => now);
  const timeOf = timeline();
  const first = timeOf(1000);
  now -= 500;
  assert.equal(timeOf(1050) - first, 50);
});
