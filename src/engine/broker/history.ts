import type { Failure } from './broker.ts';

const longest = 100;
const longestReason = 2000;

/** The history with one more failure. Keeps the latest hundred, so that endless failures don't grow it. */
export function addFailure(
  history: readonly Failure[],
  at: number,
  attempt: number,
  reason: string,
): readonly Failure[] {
  return [...history, { at, attempt, reason: reason.slice(0, longestReason) }].slice(-longest);
}
