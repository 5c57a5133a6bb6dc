import { PismakError } from '../../engine/ground/errors.ts';
import type { Day } from './days.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const slotMs = hourMs / 2;
/** A day of 25 hours has 50 slots. Daily sums that were loaded as such have this one. */
export const wholeDay = 255;

/** The days of a time zone: when each begins, and which one a moment belongs to. Days may have 23 or 25 hours. */
export interface ZoneDays {
  readonly timeZone: string;
  /** The first moment of the day, in ms. It ends where the next one begins. */
  start(day: Day): number;
  dayAt(at: number): Day;
  /** Index of the half hour within its day, which is `dayAt(at)`. */
  slotAt(at: number, day: Day): number;
}

/** Offsets between UTC and local time are below 15 hours everywhere. */
const furthestMs = 15 * hourMs;
/**
 * Enough for all days from 1970 to 2050, about 2 MB. Finding a day takes 0.1 ms, so a batch with events of more days than fit would
 * take half a minute.
 */
const remembered = 30_000;

export function zoneDays(timeZone: string): ZoneDays {
  const format = dateFormat(timeZone);
  const starts = new Map<Day, number>();

  function localDay(at: number): Day {
    // en-CA writes 2026-03-29, but years before 1000 and after 9999 differ: parts are safe.
    const parts = format.formatToParts(at);
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
    return Date.UTC(part('year'), part('month') - 1, part('day')) / dayMs;
  }

  /** The first moment whose local date is this day or later. By bisection: midnight itself may not exist. */
  function findStart(day: Day): number {
    let before = day * dayMs - furthestMs;
    let after = day * dayMs + furthestMs;
    // Zones change at whole minutes nowadays; before 1900 local mean time had seconds.
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (localDay(middle) >= day) after = middle;
      else before = middle;
    }
    return after;
  }

  function start(day: Day): number {
    const known = starts.get(day);
    if (known !== undefined) return known;
    const found = findStart(day);
    if (starts.size >= remembered) starts.clear();
    starts.set(day, found);
    return found;
  }

  /** The day of the last moment: most events fall on the day of the one before. */
  let latest = { day: 0, from: 0, to: 0 };
  function dayAt(at: number): Day {
    if (at >= latest.from && at < latest.to) return latest.day;
    let day = Math.floor(at / dayMs) - 1;
    while (start(day + 1) <= at) day++;
    latest = { day, from: start(day), to: start(day + 1) };
    return day;
  }

  return {
    timeZone,
    start,
    dayAt,
    slotAt: (at, day) => Math.floor((at - start(day)) / slotMs),
  };
}

function dateFormat(timeZone: string): Intl.DateTimeFormat {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', era: undefined, ...fields });
  } catch (error) {
    throw new PismakError(
      'configuration-invalid',
      `${timeZone} is no time zone (setting statistics.timezone); use a name such as Europe/Prague`,
      { cause: error },
    );
  }
}
