import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How long each test file took when it last ran, in milliseconds, by its path. */
export type TestTimes = Readonly<Record<string, number>>;

/** Empty if nothing has run yet or the file is damaged. */
export function readTestTimes(file: string): TestTimes {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Keeps the times of files that did not run this time. */
export function rememberTestTimes(file: string, times: TestTimes): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readTestTimes(file), ...times }, null, 2)}\n`);
}

/**
 * The longest first, so that none of them starts when all others are done. `guess` estimates the time of a file that
 * never ran.
 */
export function longestFirst(
  files: readonly string[],
  times: TestTimes,
  guess: (file: string) => number,
): string[] {
  return files
    .map((file) => ({ file, ms: times[file] ?? guess(file) }))
    .sort((a, b) => b.ms - a.ms)
    .map(({ file }) => file);
}
