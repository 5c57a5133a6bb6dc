import { hasCode } from '../../engine/errors.ts';
import type { CubeHead } from '../store/store.ts';

/** How many are named. */
export const mostNamed = 10;

/**
 * Runs work on the sums of one user and kind. Sums that could not be exact are that user's problem: the name goes to the list, and
 * the work on those of others goes on. Undefined: this one was left out.
 */
export async function skipTooLarge<Result>(
  { kind, user }: Pick<CubeHead, 'kind' | 'user'>,
  named: string[],
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'too-large')) throw error;
    if (named.length < mostNamed) named.push(`${kind} of ${user}`);
    return undefined;
  }
}

/** A sentence about them, to follow another; empty if there are none. */
export function leftOut(named: readonly string[]): string {
  return named.length === 0 ? '' : `; left out, because a sum exceeds 2^53: ${named.join(', ')}`;
}
