import type { BatchPlan, Stop } from '../batch/plan.ts';

/** A share smaller than this is not worth another thread. */
const fewestPages = 50;

/** Whether a stop has only pages and no delay: its requests run concurrently anyway, so several threads may make them. */
const isDivisible = ({ delayMs, visits }: Stop) =>
  delayMs === 0 && visits.every(({ kind }) => kind === 'page');

/** The number of shares into which a batch can be divided. */
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
 * Divides a batch among threads, so that a single host without a delay can keep all processors busy. All shares have the same stops in the
 * same places. Together they make no more requests, at once and in all, than the batch may. Stops with a delay or an order stay in the first share.
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
        // Each share may make its planned requests; the first one may also make those that are not planned.
        const stops = row.filter(({ host }) => host === stop.host);
        const left = (stop.most ?? rules.maxReqs) - stops.flatMap(({ visits }) => visits).length;
        const most = stops.flatMap(visitsOf).length + (share === 0 ? Math.max(0, left) : 0);
        return { ...stop, atOnce, most, visits: visitsOf(stop) };
      });
    }),
  }));
}
