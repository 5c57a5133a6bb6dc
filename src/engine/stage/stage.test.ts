import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { retryDelay, retryPolicy, stageDefinition } from './stage.ts';

test('a stage needs a name and a processor, everything else has a default', () => {
  const stage = stageDefinition.parse({ name: 'ocr', processor: 'dummy' });
  assert.equal(stage.mode, 'exclusive');
  assert.equal(stage.retry.attempts, 3);
  assert.equal(stage.priority, 0);
});

test('names that could leave a directory are refused', () => {
  for (const name of ['', '../x', 'a/b', 'a b', '.hidden', 'x'.repeat(101), 'a\n']) {
    assert.equal(
      stageDefinition.safeParse({ name, processor: 'dummy' }).success,
      false,
      JSON.stringify(name),
    );
  }
});

test('administrative priority may be -1, not less', () => {
  assert.ok(stageDefinition.safeParse({ name: 'a', processor: 'p', priority: -1 }).success);
  assert.ok(!stageDefinition.safeParse({ name: 'a', processor: 'p', priority: -2 }).success);
});

test('the delay before a retry grows exponentially, stays bounded, and jitter only shortens it', () => {
  const policy = retryPolicy.parse({ firstDelayMs: 1000, factor: 4, maxDelayMs: 60_000, jitter: 0.2 });
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => retryDelay(policy, attempt, () => 0)),
    [1000, 4000, 16000, 60000],
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, chance) => {
        const whole = retryDelay(policy, attempt, () => 0);
        const delay = retryDelay(policy, attempt, () => chance);
        assert.ok(delay <= whole && delay >= Math.floor(whole * 0.8));
      },
    ),
  );
});
