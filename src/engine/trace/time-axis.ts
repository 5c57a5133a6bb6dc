const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * day),
];

export interface Tick {
  at: number;
  label: string;
  /** The day, where a new one starts and at the first tick. */
  date?: string;
}

/**
 * Round times within a range, at most `most` of them. Moments are shown in local time; `relative` ones as the time since
 * 0.
 */
export function timeTicks(range: { from: number; to: number; most: number; relative: boolean }): Tick[] {
  const { from, to, most, relative } = range;
  const step = steps.find((each) => (to - from) / each <= most) ?? Math.ceil((to - from) / most / day) * day;
  // Days and hours start in local time, not in UTC.
  const offset = relative ? 0 : -new Date(from).getTimezoneOffset() * minute;
  const ticks: Tick[] = [];
  let dateBefore = '';
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) {
    if (relative) {
      ticks.push({ at, label: formatElapsed(at) });
      continue;
    }
    const date = formatDate(at);
    const label = step >= day ? '' : formatTimeOfDay(at, step < minute);
    ticks.push({ at, label, ...(date === dateBefore ? {} : { date }) });
    dateBefore = date;
  }
  return ticks;
}

/** A moment in full, to the second. */
export function formatMoment(at: number, relative: boolean): string {
  return relative ? formatElapsed(at) : `${formatDate(at)} ${formatTimeOfDay(at, true)}`;
}

function formatElapsed(ms: number): string {
  const seconds = Math.round(ms / second);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function formatDate(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function formatTimeOfDay(at: number, withSeconds: boolean): string {
  const date = new Date(at);
  const seconds = withSeconds ? `:${two(date.getSeconds())}` : '';
  return `${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
