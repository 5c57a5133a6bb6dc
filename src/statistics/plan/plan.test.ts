import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Day,
  type DayRange,
  dayOf,
  formatDay,
  granularities,
  parseDay,
  unitOf,
} from '../calendar/days.ts';
import { Snapshot } from '../cube/snapshot.ts';
import type { Level, SegmentMeta, UnitMeta } from '../store/store.ts';
import { costOf, planRange, planSeries, type Scan } from './plan.ts';

const day = (text: string) => parseDay(text) ?? assert.fail(text);
const shown = (scans: readonly Scan[]) =>
  scans.map(
    ({ level, bucket, sign }) =>
      `${sign === 1 ? '+' : '-'}${level}${level === 'total' ? '' : ` ${formatDay(bucket)}`}`,
  );
const daysIn = (level: string, bucket: Day): DayRange =>
  level === 'day' ? { from: bucket, to: bucket } : unitOf(level as 'week', bucket);
/** As many rows as days in a week or month would have if entities came back every third day. */
const usual = (level: string) => ({ day: 100, week: 200, month: 300, total: 400 })[level] ?? 0;

test('ninety days are three months and a few edge days, some of them subtracted', () => {
  const scans = planRange({ from: day('2026-01-03'), to: day('2026-04-01') }, usual);
  assert.deepEqual(shown(scans), [
    '+month 2026-01-01',
    '-day 2026-01-01',
    '-day 2026-01-02',
    '+month 2026-02-01',
    '+month 2026-03-01',
    '+day 2026-04-01',
  ]);
});

test('a week cut by the interval is added up from days, or is the whole week minus the days outside', () => {
  const plan = (from: string) =>
    shown(planSeries({ from: day(from), to: day('2026-03-29') }, 'week', usual)[0]?.scans ?? []);
  assert.deepEqual(plan('2026-03-28'), ['+day 2026-03-28', '+day 2026-03-29']);
  assert.deepEqual(plan('2026-03-24'), ['+week 2026-03-23', '-day 2026-03-23'].slice(0, 2));
});

test('what covers the whole history is read from the totals', () => {
  const history = { from: day('2024-01-01'), to: day('2026-11-15') };
  assert.deepEqual(shown(planRange({ from: 0, to: day('2030-01-01') }, usual, history)), ['+total']);
  const most = { from: day('2024-01-02'), to: day('2026-12-31') };
  assert.deepEqual(shown(planRange(most, usual, history)), ['+total', '-day 2024-01-01']);
});

test('an empty interval has no scans', () => {
  assert.deepEqual(planRange({ from: 10, to: 9 }, usual), []);
  for (const granularity of granularities)
    if (granularity !== 'hour') assert.deepEqual(planSeries({ from: 10, to: 9 }, granularity, usual), []);
});

interface Fact {
  day: Day;
  seq: number;
  value: number;
}

/**
 * A history as the store could hold it: each unit was built when some number of batches had come, or never. A block is a plain
 * number here, so that this tests which blocks are read and how often, and nothing else.
 */
function storedAs(facts: readonly Fact[], builtUpTo: (level: Level, bucket: Day) => number | undefined) {
  const values = new Map<object, number>();
  const units: UnitMeta[] = [];
  const buckets = new Set<string>();
  const add = (level: Level, bucket: Day) => {
    if (buckets.has(`${level}/${bucket}`)) return;
    buckets.add(`${level}/${bucket}`);
    const upTo = builtUpTo(level, bucket);
    if (upTo === undefined) return;
    const { from, to } = level === 'total' ? { from: -Infinity, to: Infinity } : daysIn(level, bucket);
    const inside = facts.filter((fact) => fact.day >= from && fact.day <= to && fact.seq <= upTo);
    const unit = {
      level,
      bucket,
      chunk: 0,
      generation: 1,
      upTo,
      rows: inside.length,
      splits: 1,
      sealed: false,
      body: 0,
    };
    units.push(unit);
    values.set(unit, sum(inside));
  };
  for (const fact of facts) {
    add('day', fact.day);
    add('week', unitOf('week', fact.day).from);
    add('month', unitOf('month', fact.day).from);
  }
  add('total', 0);
  const segments: SegmentMeta[] = facts.map(({ day: at, seq }) => ({ seq, day: at, chunk: 0, rows: 1 }));
  for (const [index, fact] of facts.entries()) values.set(segments[index] as object, fact.value);
  const seq = facts.reduce((most, fact) => Math.max(most, fact.seq), 0);
  return { snapshot: new Snapshot({ seq, units, segments }), values };
}

function sum(facts: readonly Fact[]): number {
  return facts.reduce((total, { value }) => total + value, 0);
}

test('every plan equals the plain sum over all events, however stale or absent any unit is', () => {
  const first = dayOf(2019, 12, 20);
  const someDay = fc.oneof(
    fc.integer({ min: first, max: first + 500 }),
    // Around new year with week 53, the leap day, the ends of quarters.
    fc.constantFrom(dayOf(2020, 2, 29), dayOf(2020, 12, 31), dayOf(2021, 1, 3), dayOf(2020, 3, 31)),
  );
  const fact = fc.record({
    day: someDay,
    seq: fc.integer({ min: 1, max: 6 }),
    value: fc.integer({ min: -5, max: 1000 }),
  });
  fc.assert(
    fc.property(
      fc.array(fact, { maxLength: 60 }),
      fc.infiniteStream(fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined })),
      someDay,
      fc.integer({ min: -3, max: 450 }),
      fc.constantFrom(...granularities.filter((one) => one !== 'hour')),
      (facts, staleness, from, length, granularity) => {
        const { snapshot, values } = storedAs(facts, () => staleness.next().value);
        const range = { from, to: from + length };
        const points = planSeries(range, granularity, snapshot.cost, snapshot.history);
        for (const point of points) {
          let got = 0;
          for (const { source, weight } of snapshot.resolve(point.scans)) {
            const key = 'unit' in source ? source.unit : source.segment;
            got += weight * (values.get(key) ?? assert.fail('an unknown block'));
          }
          const expected = sum(facts.filter((one) => one.day >= point.from && one.day <= point.to));
          assert.equal(got, expected, `${point.id}: ${shown(point.scans).join(' ')}`);
        }
        const covered = points.reduce((total, point) => total + point.to - point.from + 1, 0);
        assert.equal(covered, Math.max(0, length + 1), 'all days of the interval are in a point');
      },
    ),
    { numRuns: 500 },
  );
});

test('no plan costs more than adding up the days', () => {
  const anyCost = fc.infiniteStream(fc.integer({ min: 0, max: 1000 }));
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 200 }),
      anyCost,
      (from, length, next) => {
        const costs = new Map<string, number>();
        const cost = (level: string, bucket: number) => {
          const key = `${level}/${bucket}`;
          if (!costs.has(key)) costs.set(key, next.next().value);
          return costs.get(key) ?? 0;
        };
        const range = { from, to: from + length };
        const plain = planSeries(range, 'day', cost).flatMap(({ scans }) => scans);
        assert.ok(costOf(planRange(range, cost, { from: 0, to: 300 }), cost) <= costOf(plain, cost));
      },
    ),
  );
});
