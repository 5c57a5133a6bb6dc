import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateOf, formatDay, parseDay, parseMonth, unitId, unitOf, unitsWithin } from './days.ts';

const day = (text: string) => parseDay(text) ?? assert.fail(text);
const ids = (unit: 'week' | 'quarter' | 'year' | 'month' | 'day', from: string, to: string) =>
  unitsWithin(unit, { from: day(from), to: day(to) }).map((one) => [
    one.id,
    formatDay(one.from),
    formatDay(one.to),
  ]);

test('weeks are those of ISO 8601: the year of a week is that of its Thursday, and some years have 53', () => {
  const week = (text: string) => unitId('week', unitOf('week', day(text)).from);
  assert.equal(week('2020-12-31'), '202053');
  assert.equal(week('2021-01-03'), '202053');
  assert.equal(week('2021-01-04'), '202101');
  assert.equal(week('2018-12-31'), '201901');
  assert.equal(week('2027-01-01'), '202653');
  assert.equal(week('2024-02-29'), '202409');
  assert.equal(week('1970-01-01'), '197001');
});

test('a unit cut by the interval keeps its identifier and shows the cut', () => {
  assert.deepEqual(ids('week', '2026-03-25', '2026-04-01'), [
    ['202613', '2026-03-25', '2026-03-29'],
    ['202614', '2026-03-30', '2026-04-01'],
  ]);
  assert.deepEqual(ids('quarter', '2026-02-10', '2026-04-01'), [
    ['202601', '2026-02-10', '2026-03-31'],
    ['202604', '2026-04-01', '2026-04-01'],
  ]);
  assert.deepEqual(ids('year', '2023-12-31', '2024-12-31'), [
    ['2023', '2023-12-31', '2023-12-31'],
    ['2024', '2024-01-01', '2024-12-31'],
  ]);
  assert.deepEqual(ids('day', '2024-02-28', '2024-03-01').length, 3);
  assert.deepEqual(ids('day', '2026-01-02', '2026-01-01'), [], 'an empty range has no units');
});

test('the units of any range follow each other without gap or overlap', () => {
  const anyDay = fc.integer({ min: -20_000, max: 40_000 });
  const units = fc.constantFrom('day', 'week', 'month', 'quarter', 'year' as const);
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 1500 }), units, (from, length, unit) => {
      const found = unitsWithin(unit, { from, to: from + length });
      let next = from;
      for (const one of found) {
        assert.equal(one.from, next);
        next = one.to + 1;
      }
      assert.equal(next, from + length + 1);
      assert.equal(new Set(found.map(({ id }) => id)).size, found.length);
    }),
  );
});

test('dates that do not exist are no days', () => {
  for (const text of ['2026-02-29', '2026-13-01', '2026-1-1', '20260101', '', '2026-00-10'])
    assert.equal(parseDay(text), undefined, text);
  assert.deepEqual(dateOf(day('2024-02-29')), { year: 2024, month: 2, day: 29 });
  assert.deepEqual(parseMonth('2024-02'), { from: day('2024-02-01'), to: day('2024-02-29') });
  assert.equal(parseMonth('2024-13'), undefined);
});
