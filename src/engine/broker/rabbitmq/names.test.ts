import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { checkName, delayStep, delaySteps, maxDelayMs } from './names.ts';

test('delays share a queue with delays at most four times as long', () => {
  assert.deepEqual([0, 999, 1000, 3999, 4000, 16_000].map(delayStep), [0, 0, 1, 1, 2, 3]);
  assert.equal(delayStep(maxDelayMs), delaySteps - 1);
});

test('names reserved by the server or by Pismak are refused', () => {
  checkName('letters.2026');
  for (const name of ['', 'amq.x', 'pismak.queues', 'letters.high', 'a.dead', 'a.delay3', 'ž'.repeat(121)]) {
    assert.throws(
      () => checkName(name),
      (error) => hasCode(error, 'invalid-input'),
    );
  }
});
