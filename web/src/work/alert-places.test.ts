import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnattended, placeOf } from './alert-places.ts';

test('an alert leads to where its cause is looked after', () => {
  assert.equal(placeOf('queue.dead-letters', 'bert/out'), 'engine/queues/bert%2Fout');
  assert.equal(placeOf('worker.failed', 'scan-1'), 'engine/workers/scan-1');
  assert.equal(placeOf('account.attacked', 'anna'), 'admin/audit?operation=session.login&owner=anna');
  assert.equal(placeOf('account.attacked', '(many)'), 'admin/audit?operation=session.login');
  assert.equal(placeOf('something.new', 'x'), undefined);
});

test('an alert waits until somebody looks after it, or while it is not muted', () => {
  const open = { clearedAt: null, acknowledgedBy: null, mutedUntil: null };
  assert.equal(isUnattended(open, 1000), true);
  assert.equal(isUnattended({ ...open, acknowledgedBy: 'anna' }, 1000), false);
  assert.equal(isUnattended({ ...open, mutedUntil: 2000 }, 1000), false);
  assert.equal(isUnattended({ ...open, mutedUntil: 1000 }, 1000), true);
  assert.equal(isUnattended({ ...open, clearedAt: 900 }, 1000), false);
});
