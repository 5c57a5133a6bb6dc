import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextInterval } from './revisit-interval.ts';

const dayMs = 86_400_000;

test('a page that changes is visited more often, one that does not more rarely, within limits', () => {
  const first = nextInterval(8, { before: 0, isRevisit: false, hasChanged: true });
  assert.equal(first, 8 * dayMs);
  assert.equal(nextInterval(8, { before: first, isRevisit: true, hasChanged: true }), 4 * dayMs);
  assert.equal(nextInterval(8, { before: first, isRevisit: true, hasChanged: false }), 12 * dayMs);
  let [often, rarely] = [first, first];
  for (let visit = 0; visit < 20; visit++) {
    often = nextInterval(8, { before: often, isRevisit: true, hasChanged: true });
    rarely = nextInterval(8, { before: rarely, isRevisit: true, hasChanged: false });
  }
  assert.deepEqual([often, rarely], [dayMs / 2, 128 * dayMs]);
});
