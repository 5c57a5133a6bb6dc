import type { Random } from '../../engine/ground/identity.ts';

/** How long to leave a host alone that asked us to slow down. */
export interface SlowDown {
  /** How many times in a row it asked; 0 = never. */
  level: number;
  until: number;
}

const longestMs = 24 * 60 * 60_000;
export const forgivenAfterMs = 30 * 60_000;

/** After 429 or 503: `firstMs`, then twice as long each time, up to a day. `Retry-After` is honoured, up to a day too. */
export function slowDown(
  before: SlowDown,
  {
    now,
    firstMs,
    retryAfterMs = 0,
    random,
  }: { now: number; firstMs: number; retryAfterMs?: number | undefined; random: Random },
): SlowDown {
  const forgiven = now > before.until + forgivenAfterMs;
  // Several answers of one batch count once.
  if (before.level > 0 && now < before.until)
    return { ...before, until: Math.min(now + longestMs, Math.max(before.until, now + retryAfterMs)) };
  const level = forgiven ? 1 : before.level + 1;
  const ms = Math.min(longestMs, firstMs * 2 ** (level - 1)) * (1 + 0.1 * random());
  return { level, until: now + Math.min(longestMs, Math.max(ms, retryAfterMs)) };
}

/** What an answer with 429 or 503 asks for; undefined for any other answer. */
export function askedToSlowDown(
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  now: number,
): { retryAfterMs?: number } | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** The milliseconds of `Retry-After`, which is in seconds or a date. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
