import { preferences } from './preferences.svelte.ts';

const makers = new Map<string, unknown>();

/** Building a formatter costs more than using it a hundred times. */
function cached<T>(kind: string, make: (language: string) => T): T {
  const key = `${kind} ${preferences.language} ${preferences.zone}`;
  if (!makers.has(key)) makers.set(key, make(preferences.language));
  return makers.get(key) as T;
}

/** 1,204 or 1 204, by the person's language; `digits` after the point at most. */
export function number(value: number, digits = 0): string {
  return cached(
    `number ${digits}`,
    (language) => new Intl.NumberFormat(language, { maximumFractionDigits: digits }),
  ).format(value);
}

/** 0.314 is 31 %. */
export function percent(value: number, digits = 0): string {
  const text = cached(
    `percent ${digits}`,
    (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: digits }),
  ).format(value);
  return text.replace(/(?<=\d)%/, '\u00a0%');
}

/** 1.5 MB. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** step;
  return `${number(scaled, scaled < 10 && step > 0 ? 1 : 0)}\u00a0${units[step]}`;
}

/** 4 min 10 s: two units at most. */
export function duration(ms: number): string {
  if (ms < 1000) return `${number(Math.max(0, ms))}\u00a0ms`;
  const seconds = Math.round(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${number(value)}\u00a0${unit}`)
    .join(' ');
}

/** The exact time, in the person's zone: 18 March 2026, 14:02:11 GMT+1. */
export function exactTime(at: number): string {
  return cached(
    'exact',
    (language) => new Intl.DateTimeFormat(language, { ...zone(), dateStyle: 'long', timeStyle: 'long' }),
  ).format(at);
}

/** 14:02 today, 18 Mar 14:02 this year, 18 Mar 2025 before. */
export function shortTime(at: number, now: number): string {
  const day = dayOf(at);
  const today = dayOf(now);
  const show = (kind: string, parts: Intl.DateTimeFormatOptions) =>
    cached(kind, (language) => new Intl.DateTimeFormat(language, { ...zone(), ...parts })).format(at);
  if (day === today) return show('clock', { timeStyle: 'short' });
  if (day.slice(0, 4) === today.slice(0, 4))
    return show('day', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
  return show('date', { dateStyle: 'medium' });
}

/** The day in the person's zone: 2026-03-18. */
export function dayOf(at: number): string {
  return cached('iso', () => new Intl.DateTimeFormat('en-CA', { ...zone(), dateStyle: 'short' })).format(at);
}

const zone = () => (preferences.zone === undefined ? {} : { timeZone: preferences.zone });

/** 4 minutes ago, in 2 hours; beyond a week the date. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  const relative = cached(
    'relative',
    (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  );
  if (size < 45) return relative.format(size < 5 ? 0 : seconds, 'second');
  if (size < 2700) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 79_200) return relative.format(Math.round(seconds / 3600), 'hour');
  if (size < 7 * 86_400) return relative.format(Math.round(seconds / 86_400), 'day');
  return shortTime(at, now);
}

/** For names that people gave: č after c. */
export function compareNames(a: string, b: string): number {
  return cached('names', (language) => new Intl.Collator(language, { numeric: true })).compare(a, b);
}
