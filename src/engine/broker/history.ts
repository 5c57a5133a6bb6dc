import type { Failure } from './broker.ts';

const longest = 100;
const longestReason = 2000;

/** The history with one more failure. What fails for ever must not grow for ever: the latest hundred are kept. */
export function addFailure(
  history: readonly Failure[],
  at: number,
  attempt: number,
  reason: string,
): readonly Failure[] {
  return [...history, { at, attempt, reason: reason.slice(0, longestReason) }].slice(-longest);
}
