import { hostname } from 'node:os';
import { sayAlert } from '../../alert/sentences.ts';
import type { BusyWatch } from '../../process/busy-watch.ts';
import type { Clock } from '../../time/clock.ts';
import type { Check } from './check.ts';

/** Work that keeps the thread again within this time raises the alert; after this time without it, the alert ends. */
const quietMs = 15 * 60_000;
/** A first call may load modules, so one piece raises an alert only if it is this long. */
const surelyTooLongMs = 500;
const mostFindings = 10;

/** Operations of this process that kept the main thread for so long that others had to wait. */
export function busyThread(
  { busyWatch, clock }: { busyWatch: Pick<BusyWatch, 'since'>; clock: Clock },
  host = hostname(),
): Check {
  return {
    kind: 'process.busy',
    isMine: (entity) => entity.endsWith(`@${host}`),
    async look() {
      const found = busyWatch.since(clock.now() - quietMs);
      return found
        .filter(({ mostMs, count }) => count > 1 || mostMs >= surelyTooLongMs)
        .toSorted((a, b) => b.mostMs - a.mostMs)
        .slice(0, mostFindings)
        .map(({ work, mostMs, count }) => {
          const ms = Math.round(mostMs);
          return {
            entity: `${work}@${host}`,
            reason: sayAlert('process.busy', { work, host, ms, count }),
            details: { work, host, ms, count },
          };
        });
    },
  };
}
