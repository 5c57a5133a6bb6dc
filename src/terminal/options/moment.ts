import { InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { readDuration } from './duration.ts';

/** A time on the command line: `2026-03-01T08:00`, or an age: `90s`, `30m`, `2h`, `7d`, `1h30m`. */
export type Moment = (now: number) => number;

export function moment(text: string): Moment {
  const word = text.trim();
  if (word === 'now') return (now) => now;
  const age = readDuration(word);
  if (age !== undefined) return (now) => Math.max(0, now - age);
  const time = readTime(word);
  if (time === undefined)
    throw new InvalidArgumentError(
      'it must be a time such as 2026-03-01T08:00, or an age such as 30m or 2h.',
    );
  return () => time;
}

export const timeHelp = '2026-12-24T08:00, or 30m, 2h, 7d from now';

/** A future time: `2026-12-24T08:00`, a delay (`30m`, `2h`), or milliseconds since 1970. */
export function laterMoment(text: string): Moment {
  const word = text.trim();
  const wait = readDuration(word);
  if (wait !== undefined) return (now) => now + wait;
  const time = /^\d{12,14}$/.test(word) ? Number(word) : readTime(word);
  if (time === undefined)
    throw new InvalidArgumentError(
      'it must be a time such as 2026-12-24T08:00, or a delay such as 30m or 2h.',
    );
  return (now) => {
    // A script may name the current minute. An older time is a mistake, and would take effect at once.
    if (time < now - 60_000) throw new PismakError('invalid-input', `${word} is in the past`);
    return time;
  };
}

/** `2026-03-01T08:00`, `2026-03-01 08:00`, `2026-03-01`: local time, unless it names its zone. */
function readTime(word: string): number | undefined {
  // A date without a time would be read as UTC.
  const at = /^\d{4}-\d{2}-\d{2}$/.test(word) ? `${word}T00:00` : word.replace(' ', 'T');
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(at) ? Date.parse(at) : Number.NaN;
  return Number.isNaN(time) || time < 0 ? undefined : time;
}
