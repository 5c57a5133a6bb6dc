const dayMs = 86_400_000;
/** The interval of a page is at most this many times longer or shorter than the crawl's. */
const widest = 16;

/**
 * Milliseconds until the next visit. The interval is halved if the page has changed and grows by half if it has not, between a
 * sixteenth and sixteen times the interval of the crawl.
 */
export function nextInterval(
  days: number,
  { before, isRevisit, hasChanged }: { before: number; isRevisit: boolean; hasChanged: boolean },
): number {
  const usualMs = days * dayMs;
  if (!isRevisit || before <= 0) return Math.round(usualMs);
  const nextMs = hasChanged ? before / 2 : before * 1.5;
  return Math.round(Math.min(usualMs * widest, Math.max(usualMs / widest, nextMs)));
}
