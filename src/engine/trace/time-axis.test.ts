import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timeTicks } from './time-axis.ts';

test('relative times are marked at round steps', () => {
  const ticks = timeTicks({ from: 0, to: 7_200_000, most: 5, relative: true });
  assert.deepEqual(
    ticks.map(({ label }) => label),
    ['0:00:00', '0:30:00', '1:00:00', '1:30:00', '2:00:00'],
  );
});

test('a day is named where it starts, and at the first mark', () => {
  const from = new Date(2026, 2, 1, 21, 10).getTime();
  const ticks = timeTicks({ from, to: from + 5 * 3_600_000, most: 6, relative: false });
  assert.deepEqual(
    ticks.map(({ label, date }) => [label, date]),
    [
      ['22:00', '2026-03-01'],
      ['23:00', undefined],
      ['00:00', '2026-03-02'],
      ['01:00', undefined],
      ['02:00', undefined],
    ],
  );
});

test('any range has some marks, not too many, and all within it', () => {
  const lasts = fc.oneof(fc.integer({ min: 10_000, max: 1e6 }), fc.integer({ min: 1e6, max: 1e12 }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e13 }), lasts, fc.boolean(), (from, ms, relative) => {
      const ticks = timeTicks({ from, to: from + ms, most: 10, relative });
      assert.ok(ticks.length >= 1 && ticks.length <= 11, String(ticks.length));
      assert.ok(ticks.every(({ at }) => at >= from && at <= from + ms));
    }),
  );
});
