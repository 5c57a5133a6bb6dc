import type { Chosen } from './sort-out.ts';
import { keyOf } from './sort-out.ts';

/** What a visit did not finish, kept in the browser: choosing the same files again goes on where it ended. */
export interface LeftOver {
  document: string;
  name: string;
  at: number;
  /** Files that have not arrived, by `keyOf`, with the upload of those that were on their way. */
  files: Record<string, string | null>;
}

/** The server forgets unused uploads after a day. */
const keptMs = 24 * 60 * 60 * 1000;

/** What the browser has kept; anything else is nothing. */
export function readLeftOvers(text: string | undefined, now: number): LeftOver[] {
  try {
    const all = JSON.parse(text ?? '[]') as LeftOver[];
    return all.filter(({ at, files }) => now - at < keptMs && Object.keys(files).length > 0);
  } catch {
    return [];
  }
}

/** The list with this one as it is now; without it if nothing is missing. Undefined: nothing to keep. */
export function writeLeftOvers(all: readonly LeftOver[], one: LeftOver): string | undefined {
  const others = all.filter(({ document }) => document !== one.document);
  const next = Object.keys(one.files).length > 0 ? [...others, one] : others;
  return next.length > 0 ? JSON.stringify(next) : undefined;
}

/** Those of the chosen files that are missing there. */
export function missingIn(left: LeftOver, chosen: readonly Chosen[]): Chosen[] {
  return chosen.filter((one) => Object.hasOwn(left.files, keyOf(one)));
}
