import type { Alerts } from '../alert/alert.ts';
import type { Ports } from '../ports/ports.ts';
import type { BusyWatch } from '../process/busy-watch.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Stages } from '../stage/stages.ts';
import type { StoreWrites } from './check-stores.ts';
import { attackedAccounts, attackingAddresses } from './checks/attacked-accounts.ts';
import { brokenQueues } from './checks/broken-queues.ts';
import { brokenStages } from './checks/broken-stages.ts';
import { busyThread } from './checks/busy-thread.ts';
import { type Check, lookOnce } from './checks/check.ts';
import { deadLetters } from './checks/dead-letters.ts';
import { failedWorkers } from './checks/failed-workers.ts';
import { fullDisk } from './checks/full-disk.ts';
import { lowDisk } from './checks/low-disk.ts';
import { slowStages } from './checks/slow-stages.ts';
import { unreachableStores } from './checks/unreachable-stores.ts';
import { unservedStages } from './checks/unserved-stages.ts';

type Watched = Pick<
  Ports,
  'blobs' | 'broker' | 'clock' | 'coordination' | 'database' | 'disk' | 'log' | 'openSession' | 'settings'
> & { alerts: Alerts; busyWatch: BusyWatch; storeWrites: StoreWrites; stages: Stages };

const periodMs = 5000;

/**
 * Looks for problems. One elected service checks the cluster. Each process checks for itself whether it reaches its stores
 * and has free disk space; it needs no election for that, because elections may be what fails.
 */
export function runAlertWatch(engine: Watched): Running {
  const { alerts, clock, log, openSession, settings } = engine;
  const { noWorkerMs, diskFreeMb } = settings.alerts;
  const stop = new AbortController();
  const watch = (name: string, signal: AbortSignal, checks: readonly Check[]) =>
    everyPeriod({ name, clock, log, periodMs, signal }, async () => {
      await lookOnce(checks, { alerts, clock, log });
      return undefined;
    });

  const ofCluster = runService({
    name: 'alerts',
    clock,
    log,
    openSession,
    run({ coordination, signal }) {
      const parts = { ...engine, coordination };
      return watch('alerts', signal, [
        unservedStages(parts, noWorkerMs),
        brokenStages(parts),
        brokenQueues(parts),
        deadLetters(parts),
        failedWorkers(parts),
        slowStages(parts),
        attackedAccounts(parts),
        attackingAddresses(parts),
      ]);
    },
  });
  const ofProcess = watch('alerts of this process', stop.signal, [
    unreachableStores(engine),
    lowDisk(settings.data, diskFreeMb),
    fullDisk(engine.disk),
    busyThread(engine),
  ]);
  return {
    async close() {
      stop.abort();
      await Promise.all([ofProcess, ofCluster.close()]);
    },
  };
}
