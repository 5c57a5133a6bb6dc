import { z } from 'zod';
import type { SplitConfig } from './split-config.ts';

/** Where the work on a source goes on: a long one is split in parts, so that other sources get their turn between them. */
export const splitProgress = z.object({
  /** Pages that earlier parts have listed. */
  pages: z.int().nonnegative(),
  /** Pages of the source that they came from, if some were divided. */
  opened: z.int().nonnegative().optional(),
  /** Processor time that they took. */
  seconds: z.number().nonnegative(),
  /** Pages that took more time or memory than allowed. */
  overruns: z.int().nonnegative(),
});
export type SplitProgress = z.infer<typeof splitProgress>;

export const noProgress: SplitProgress = { pages: 0, seconds: 0, overruns: 0 };

/** A source with more such pages was made to waste time. */
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
