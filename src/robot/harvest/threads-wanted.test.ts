import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptLimit, threadsWanted } from './threads-wanted.ts';

test('requests in flight grow while some wait and there is time, and shrink when there is none', () => {
  assert.ok(adaptLimit(32, { utilization: 0.3, waiting: 5 }) > 32);
  assert.equal(adaptLimit(32, { utilization: 0.3, waiting: 0 }), 32);
  assert.ok(adaptLimit(32, { utilization: 0.99, waiting: 5 }) < 32);
});

test('threads come while all are busy and the machine has time, and go when they are idle', () => {
  const usual = { threads: 2, shares: 8, idle: 0.5, cores: 4 };
  assert.equal(threadsWanted({ ...usual, busy: 0.9 }), 3);
  assert.equal(threadsWanted({ ...usual, busy: 0.9, threads: 4 }), 4);
  assert.equal(threadsWanted({ ...usual, busy: 0.9, idle: 0.02 }), 2, 'the machine has no time');
  assert.equal(threadsWanted({ ...usual, busy: 0.9, shares: 2 }), 2, 'nothing waits');
  assert.equal(threadsWanted({ ...usual, busy: 0.1 }), 1);
  assert.equal(threadsWanted({ ...usual, busy: 0, threads: 1 }), 1);
});
