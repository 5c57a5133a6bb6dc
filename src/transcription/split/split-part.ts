import type { SplitProgress } from '../page/order.ts';
import type { SplitConfig } from './split-config.ts';

/** A source with more pages that take too much was made to waste time. */
const mostOverruns = 10;

/**
 * Why the rest of a source is not tried; undefined if it is. A few pages may take long, but all together not more than a sixth
 * of what a single one may, on average.
 */
export function whyNotOn(
  { pages, seconds, overruns }: SplitProgress,
  { PAGE_SECONDS }: SplitConfig,
): string | undefined {
  if (overruns >= mostOverruns) return `${overruns} pages took too much time or memory`;
  if (seconds > 10 * PAGE_SECONDS + (pages * PAGE_SECONDS) / 6)
    return `${pages} pages took ${Math.round(seconds)} s of processor time`;
  return undefined;
}
