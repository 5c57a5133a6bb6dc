import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `2h`, `7d`, `1h30m`: in milliseconds; undefined if the text is not a duration. */
export function readDuration(text: string): number | undefined {
  const word = text.trim();
  if (!/^(\d+(\.\d+)?[smhd])+$/.test(word)) return undefined;
  const parts = [...word.matchAll(/(?<![\d.])([\d.]+)([smhd])/g)];
  return Math.round(
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0),
  );
}

/** A duration on the command line. */
export function duration(text: string): number {
  const ms = text.trim() === '0' ? 0 : readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('it must be a duration such as 30m, 12h or 90d.');
  return ms;
}
