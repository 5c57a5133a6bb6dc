const dayMs = 86_400_000;
/** How far the interval of a page moves away from the crawl's. */
const widest = 16;

/**
 * How long after this visit the next one is due. The interval is halved if the page had changed, and grows by half if it had not, between a
 * sixteenth and sixteen times what the crawl says.
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
