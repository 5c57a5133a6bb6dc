import { hasCode } from '../../engine/ground/errors.ts';
import type { CubeHead } from '../store/store.ts';

/** Maximum number of names in the list. */
export const mostNamed = 10;

/**
 * Runs work on the sums of one user and kind. If a sum would exceed 2^53, the name goes to the list and the result is undefined, so
 * others are not affected.
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

/** A clause to append to a sentence; empty if nothing was left out. */
export function leftOut(named: readonly string[]): string {
  return named.length === 0 ? '' : `; left out, because a sum exceeds 2^53: ${named.join(', ')}`;
}
