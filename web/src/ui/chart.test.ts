import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextKnown, spreadLabels } from './chart.ts';

test('labels of lines that end at the same height stand below each other, within the chart', () => {
  assert.deepEqual(spreadLabels([50, 50, 10], 100, 16), [50, 66, 10]);
  assert.deepEqual(spreadLabels([98, 99], 100, 16), [68, 84]);
});

test('arrow keys skip times of which nothing is known', () => {
  const series = [{ label: 'a', values: [1, null, null, 4] }];
  assert.deepEqual(
    [nextKnown(series, 0, 1, 4), nextKnown(series, 3, 1, 4), nextKnown(series, 3, -1, 4)],
    [3, 3, 0],
  );
});
