import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Cancellations } from './cancellations.ts';
import type { OpenRequests } from './open-requests.ts';

const periodMs = 60_000;

/** An elected service that keeps the lists of cancelled and open requests short. */
export function runRequestLists(
  engine: Pick<Ports, 'clock' | 'log' | 'openSession'> & {
    cancellations: Cancellations;
    openRequests: OpenRequests;
  },
): Running {
  const { cancellations, clock, log, openRequests, openSession } = engine;
  const name = 'requests';
  return runService({
    name,
    clock,
    log,
    openSession,
    run: ({ signal }) =>
      everyPeriod({ name, clock, log, periodMs, signal }, async () => {
        await cancellations.forgetOld();
        await openRequests.forgetOld();
        return undefined;
      }),
  });
}
