import assert from 'node:assert/strict';
import { test } from 'node:test';
import { less, more } from '../comparable.ts';
import { ratiosOf } from './ratios.ts';

test('above 1 is better, whether a figure is a rate or a time', () => {
  const { ratios } = ratiosOf([
    { before: [more('jobs/s', 100), less('ms', 100)], after: [more('jobs/s', 200), less('ms', 50)] },
  ]);
  assert.deepEqual(
    ratios.map(({ name, ratio }) => [name, ratio]),
    [
      ['jobs/s', 2],
      ['ms', 2],
    ],
  );
});

test('the ratio is the median of the ratios of each round, not the ratio of the medians', () => {
  const round = (before: number, after: number) => ({
    before: [more('a', before)],
    after: [more('a', after)],
  });
  const { ratios } = ratiosOf([round(100, 90), round(10, 10), round(1000, 1100)]);
  assert.deepEqual(ratios, [{ name: 'a', before: 100, after: 90, ratio: 1, each: [0.9, 1, 1.1] }]);
});

test('a figure that only one tree has is named, not compared', () => {
  const found = ratiosOf([
    { before: [more('old', 1), more('both', 1)], after: [more('new', 1), more('both', 1)] },
  ]);
  assert.deepEqual([found.onlyBefore, found.onlyAfter], [['old'], ['new']]);
  assert.deepEqual(
    found.ratios.map(({ name }) => name),
    ['both'],
  );
});

test('nothing against nothing is the same', () => {
  const { ratios } = ratiosOf([{ before: [less('lost', 0)], after: [less('lost', 0)] }]);
  assert.equal(ratios[0]?.ratio, 1);
});
