import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertPath } from './alert-path.ts';

test('an alert leads to where it is looked after, whatever the name has in it', () => {
  assert.equal(alertPath({ kind: 'queue.dead-letters', entity: 'a/b' }), 'engine/queues/a%2Fb?show=dead');
  assert.equal(alertPath({ kind: 'worker.failed', entity: 'scan-1' }), 'engine/workers/scan-1');
  assert.equal(alertPath({ kind: 'disk.low', entity: 'vm' }), undefined);
});
