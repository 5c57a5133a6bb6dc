import { type Day, type DayRange, type Granularity, unitOf, unitsWithin } from '../calendar/days.ts';

/** A level that a scan reads. Slots are finer, and read only for hours. */
export type ScanLevel = 'day' | 'week' | 'month' | 'total';

/** One unit to add (1) or to subtract (-1). */
export interface Scan {
  level: ScanLevel;
  /** The first day of the unit; 0 for `total`. */
  bucket: Day;
  sign: 1 | -1;
}

/** A point of a series: its days, and what adds up to them. */
export interface PlannedPoint extends DayRange {
  id: string;
  scans: Scan[];
}

/** What reading a unit costs, in rows. It decides between plans that are all exact. */
export type Cost = (level: ScanLevel, bucket: Day) => number;

/**
 * Plans a series: for each unit of the granularity, the cheapest list of scans whose signed sum is exactly its days. A unit that
 * the interval cuts is either added up from its days, or taken whole minus the days outside, whichever reads less.
 */
export function planSeries(
  range: DayRange,
  granularity: Exclude<Granularity, 'hour'>,
  cost: Cost,
  history?: DayRange,
): PlannedPoint[] {
  if (range.from > range.to) return [];
  if (granularity === 'none') return [{ id: 'none', ...range, scans: planRange(range, cost, history) }];
  return unitsWithin(granularity, range).map((point) => ({ ...point, scans: planPoint(point, cost) }));

  function planPoint(point: DayRange, costs: Cost): Scan[] {
    if (granularity === 'day') return days(point);
    if (granularity === 'week') return cheapest(costs, days(point), lessTheRest('week', point));
    return byMonths(point, costs);
  }
}

/**
 * The cheapest scans for the sum over all these days. `history` is the range outside which nothing was ever counted; given it, an
 * interval that covers nearly everything is read from the totals.
 */
export function planRange(range: DayRange, cost: Cost, history?: DayRange): Scan[] {
  if (range.from > range.to) return [];
  const plain = byMonths(range, cost);
  if (!history) return plain;
  const before = byMonths({ from: history.from, to: Math.min(range.from - 1, history.to) }, cost);
  const after = byMonths({ from: Math.max(range.to + 1, history.from), to: history.to }, cost);
  const total: Scan = { level: 'total', bucket: 0, sign: 1 };
  return cheapest(cost, plain, [total, ...negated(before), ...negated(after)]);
}

export function costOf(scans: readonly Scan[], cost: Cost): number {
  return scans.reduce((sum, { level, bucket }) => sum + cost(level, bucket), 0);
}

/** Month by month: whole, from its weeks and days, or whole minus the days outside the range. */
function byMonths(range: DayRange, cost: Cost): Scan[] {
  if (range.from > range.to) return [];
  return unitsWithin('month', range).flatMap((part) => {
    const whole = unitOf('month', part.from);
    const month: Scan = { level: 'month', bucket: whole.from, sign: 1 };
    const outside = [
      ...byWeeks({ from: whole.from, to: part.from - 1 }, cost),
      ...byWeeks({ from: part.to + 1, to: whole.to }, cost),
    ];
    return cheapest(cost, byWeeks(part, cost), [month, ...negated(outside)]);
  });
}

/** Whole weeks inside the range where they are cheaper than their days, days at the edges. */
function byWeeks(range: DayRange, cost: Cost): Scan[] {
  if (range.from > range.to) return [];
  return unitsWithin('week', range).flatMap((part) => {
    if (part.to - part.from < 6) return days(part);
    return cheapest(cost, days(part), [{ level: 'week', bucket: part.from, sign: 1 }]);
  });
}

function lessTheRest(unit: 'week' | 'month', part: DayRange): Scan[] {
  const whole = unitOf(unit, part.from);
  const rest = [
    ...days({ from: whole.from, to: part.from - 1 }),
    ...days({ from: part.to + 1, to: whole.to }),
  ];
  return [{ level: unit, bucket: whole.from, sign: 1 }, ...negated(rest)];
}

function days({ from, to }: DayRange): Scan[] {
  const scans: Scan[] = [];
  for (let day = from; day <= to; day++) scans.push({ level: 'day', bucket: day, sign: 1 });
  return scans;
}

function negated(scans: readonly Scan[]): Scan[] {
  return scans.map((scan) => ({ ...scan, sign: scan.sign === 1 ? -1 : 1 }));
}

/** The cheaper plan; if both cost the same, the shorter one, then the first. */
function cheapest(cost: Cost, first: Scan[], second: Scan[]): Scan[] {
  const difference = costOf(second, cost) - costOf(first, cost);
  if (difference !== 0) return difference < 0 ? second : first;
  return second.length < first.length ? second : first;
}
