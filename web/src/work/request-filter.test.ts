import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byCause, deadLetterFilter, lettersByQueue, periodOf, requestFilterOf } from './request-filter.ts';

test('the address says which failures are shown; what it says wrongly is left out', () => {
  const query = new URLSearchParams('stage=page&reason=damaged&outcome=nonsense&period=day&x=1');
  assert.deepEqual(requestFilterOf(query), { stage: 'page', reason: 'damaged' });
  assert.equal(periodOf(query), 'day');
  assert.equal(periodOf(new URLSearchParams('period=year')), 'week');
});

test('all that match can be redriven only if dead letters can be filtered the same way', () => {
  const filter = { stage: 'page', outcome: 'dead', reason: 'damaged' } as const;
  assert.deepEqual(deadLetterFilter(filter), { queue: 'page', reason: 'damaged' });
  assert.equal(deadLetterFilter({ ...filter, outcome: 'output' }), undefined);
  assert.equal(deadLetterFilter({ ...filter, batch: 'document 1' }), undefined);
  assert.equal(deadLetterFilter({ outcome: 'dead' }), undefined);
});

test('of the chosen requests the dead letters go back to their queues, 1,000 at once', () => {
  const request = (number: number, queue: string, outcome = 'dead') => ({
    queue,
    message: `m${number}`,
    outcome,
  });
  const many = Array.from({ length: 1001 }, (_, number) => request(number, 'page'));
  const calls = lettersByQueue([...many, request(2000, 'layout'), request(2001, 'out', 'output')]);
  assert.deepEqual(
    calls.map(({ queue, ids }) => [queue, ids.length]),
    [
      ['page', 1000],
      ['page', 1],
      ['layout', 1],
    ],
  );
});

test('failures with the same cause are told once', () => {
  const failure = (stage: string, reason: string, failedAt: number) => ({ stage, reason, failedAt });
  assert.deepEqual(byCause([failure('a', 'x', 1), failure('b', 'x', 2), failure('a', 'x', 3)]), [
    { stage: 'a', reason: 'x', count: 2, lastAt: 3 },
    { stage: 'b', reason: 'x', count: 1, lastAt: 2 },
  ]);
});
