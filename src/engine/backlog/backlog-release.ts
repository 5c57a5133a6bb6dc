import type { Alerts } from '../alert/alert.ts';
import { RefusingQueues } from '../outbox/refusing-queues.ts';
import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Backlog } from './backlog.ts';
import { waitingStreams } from './backlog-queries.ts';
import { QueueRelease, type Releasing } from './queue-release.ts';
import { ShortQueues } from './short-queues.ts';

type ReleasingAll = Releasing & Pick<Ports, 'openSession'> & { alerts: Alerts } & { backlog: Backlog };

const idleMs = 1000;
const busyMs = 50;

/** Releases items fairly between owners, and only as many as the queues need soon: an elected service. */
export function runBacklog(parts: ReleasingAll): Running {
  const { backlog, clock, database, log, openSession } = parts;
  return runService({
    name: 'backlog',
    clock,
    log,
    openSession,
    async run({ signal }) {
      const refusing = new RefusingQueues({ ...parts, alertKind: 'backlog.stuck' });
      const short = new ShortQueues(parts);
      const releases = new Map<string, QueueRelease>();
      let pauseMs = idleMs;
      const loop = { name: 'backlog', clock, log, periodMs: idleMs, signal, wakeUp: backlog.wakeUp };
      await everyPeriod(loop, async () => {
        const waiting = Map.groupBy(await waitingStreams(database.query), ({ queue }) => queue);
        for (const queue of releases.keys()) if (!waiting.has(queue)) releases.delete(queue);
        const moved = await Promise.all(
          [...waiting]
            .filter(([queue]) => refusing.mayTry(queue))
            .map(([queue, streams]) => {
              const release = releases.get(queue) ?? new QueueRelease(queue, parts, refusing, short);
              releases.set(queue, release);
              return release.round(streams);
            }),
        );
        // Short tasks need frequent rounds, long ones rare rounds.
        pauseMs = moved.some((count) => count > 0) ? busyMs : Math.min(2 * pauseMs, idleMs);
        return pauseMs;
      });
    },
  });
}
