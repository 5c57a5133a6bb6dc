import type { Range } from './trace.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const shortestRangeMs = 10 * second;
export const longestRangeMs = 31 * day;

const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7].map((count) => count * day),
];

/** Round moments in a range, in local time, at most `most` of them. */
export function ticksOf({ from, to }: Range, most: number): { at: number; step: number }[] {
  const step = steps.find((each) => (to - from) / each <= most) ?? 7 * day;
  const offset = -new Date(from).getTimezoneOffset() * minute;
  const ticks = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step)
    ticks.push({ at, step });
  return ticks;
}

/** `factor` below 1 shows less time. The moment `around` stays where it is, and nothing after `now` is shown. */
export function zoom({ from, to }: Range, factor: number, around: number, now: number): Range {
  const width = clamp((to - from) * factor, shortestRangeMs, longestRangeMs);
  const share = (around - from) / (to - from);
  return within({ from: around - share * width, to: around + (1 - share) * width }, now);
}

/** Moves by a share of its width. */
export function pan({ from, to }: Range, share: number, now: number): Range {
  const by = (to - from) * share;
  return within({ from: from + by, to: to + by }, now);
}

/** Not beyond now, and of a width that can be shown. */
export function within({ from, to }: Range, now: number): Range {
  const width = clamp(to - from, shortestRangeMs, longestRangeMs);
  const end = Math.min(Math.max(from, to), now);
  return { from: Math.round(end - width), to: Math.round(end) };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
