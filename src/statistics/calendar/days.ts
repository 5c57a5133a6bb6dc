/**
 * Civil days as numbers: 0 is 1970-01-01. Everything here is arithmetic on the Gregorian calendar and knows no time zone;
 * `zone-days.ts` tells which day a moment belongs to.
 */
export type Day = number;

/** The units that a series can have. Weeks are ISO 8601: they begin on Monday. */
export const granularities = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'none'] as const;
export type Granularity = (typeof granularities)[number];
/** A unit of whole days. */
export type DayUnit = Exclude<Granularity, 'hour' | 'none'>;

/** The first and the last day, both included. */
export interface DayRange {
  from: Day;
  to: Day;
}

const dayMs = 86_400_000;

export function dayOf(year: number, month: number, day: number): Day {
  return Date.UTC(year, month - 1, day) / dayMs;
}

export function dateOf(day: Day): { year: number; month: number; day: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** `2026-03-29`; undefined for text that is no such day. */
export function parseDay(text: string): Day | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const day = dayOf(Number(year), Number(month), Number(date));
  return formatDay(day) === text ? day : undefined;
}

export function formatDay(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** `2026-03` as its days; undefined for text that is no month. */
export function parseMonth(text: string): DayRange | undefined {
  const first = /^\d{4}-\d{2}$/.test(text) ? parseDay(`${text}-01`) : undefined;
  return first === undefined ? undefined : unitOf('month', first);
}

/** `2026-03` for any of its days. */
export function formatMonth(day: Day): string {
  return formatDay(day).slice(0, 7);
}

/** The whole unit that contains the day. */
export function unitOf(unit: DayUnit, day: Day): DayRange {
  if (unit === 'day') return { from: day, to: day };
  if (unit === 'week') {
    // 1970-01-01 was a Thursday.
    const monday = day - modulo(day + 3, 7);
    return { from: monday, to: monday + 6 };
  }
  const { year, month } = dateOf(day);
  const months = unit === 'month' ? 1 : unit === 'quarter' ? 3 : 12;
  const first = month - ((month - 1) % months);
  return { from: dayOf(year, first, 1), to: dayOf(year, first + months, 1) - 1 };
}

/**
 * The identifier of the unit that begins on this day: YYYYMMDD, YYYYww, YYYYMM (of a quarter its first month), YYYY. The year
 * of a week is that of its Thursday.
 */
export function unitId(unit: DayUnit, first: Day): string {
  if (unit === 'week') {
    const { year } = dateOf(first + 3);
    const week = (first - unitOf('week', dayOf(year, 1, 4)).from) / 7 + 1;
    return `${year}${two(week)}`;
  }
  const { year, month, day } = dateOf(first);
  if (unit === 'year') return `${year}`;
  return unit === 'day' ? `${year}${two(month)}${two(day)}` : `${year}${two(month)}`;
}

/** The units that overlap the range, each cut to it. */
export function unitsWithin(unit: DayUnit, { from, to }: DayRange): (DayRange & { id: string })[] {
  const units: (DayRange & { id: string })[] = [];
  for (let day = from; day <= to; ) {
    const whole = unitOf(unit, day);
    units.push({ id: unitId(unit, whole.from), from: day, to: Math.min(whole.to, to) });
    day = whole.to + 1;
  }
  return units;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
