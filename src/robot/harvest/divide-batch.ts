import type { BatchPlan, Stop } from '../batch/plan.ts';

/** Fewer pages than this are not worth another thread. */
const fewestPages = 50;

/** Whether a stop is only pages, without a delay: such requests run side by side anyway, so another thread may make some of them. */
const isDivisible = ({ delayMs, visits }: Stop) =>
  delayMs === 0 && visits.every(({ kind }) => kind === 'page');

/** Into how many shares a batch can be divided. */
export function sharesIn({ rules, rows }: BatchPlan): number {
  let pages = 0;
  let atOnce = rules.maxHosts;
  for (const stop of rows.flat()) {
    atOnce = Math.min(atOnce, stop.atOnce ?? rules.maxHosts);
    if (isDivisible(stop)) pages += stop.visits.length;
  }
  return Math.max(1, Math.min(atOnce, Math.floor(pages / fewestPages)));
}

/**
 * Divides a batch among threads, so that a single host without a delay can keep all processors busy. The shares have the same stops in the
 * same places. Together they make no more requests than the batch may, at once and in all. What has a delay or an order stays in the first one.
 */
export function divideBatch(plan: BatchPlan, most: number): BatchPlan[] {
  const count = Math.min(most, sharesIn(plan));
  if (count <= 1) return [plan];
  const { rules, rows } = plan;
  return Array.from({ length: count }, (_, share) => ({
    rules,
    rows: rows.map((row) => {
      const visitsOf = (stop: Stop) => {
        const divisible = isDivisible(stop);
        return stop.visits.filter((__, index) => (divisible ? index % count : 0) === share);
      };
      return row.map((stop) => {
        const whole = stop.atOnce ?? rules.maxHosts;
        const atOnce = Math.floor(whole / count) + (share < whole % count ? 1 : 0);
        // Each share may make the requests that are planned for it; what is left is the first one's.
        const stops = row.filter(({ host }) => host === stop.host);
        const left = (stop.most ?? rules.maxReqs) - stops.flatMap(({ visits }) => visits).length;
        const most = stops.flatMap(visitsOf).length + (share === 0 ? Math.max(0, left) : 0);
        return { ...stop, atOnce, most, visits: visitsOf(stop) };
      });
    }),
  }));
}
