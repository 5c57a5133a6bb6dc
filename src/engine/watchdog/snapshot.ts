import { withBacklog } from '../backlog/backlog-lengths.ts';
import { type Broker, type QueueStatus, queueLength } from '../broker/broker.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Database } from '../database/database.ts';
import type { Stage } from '../stage/stage.ts';
import type { Stages } from '../stage/stages.ts';
import { listWorkers, type WorkerPresence, type WorkerView } from '../worker/worker-record.ts';
import type { Averages } from './averages.ts';
import type { Snapshot, StageSnapshot, WorkerSnapshot } from './policy.ts';

/** Where the watchdog records, for each stage, since when its messages wait without a worker. */
export const waitingPath = '/watchdog/waiting';

const longestLockMs = 7 * 24 * 60 * 60 * 1000;

/** The state that the watchdog reads in one round. */
export interface Readings {
  workers: WorkerView[];
  stages: Stage[];
  /** The queues, including what waits in the backlog for them. */
  queues: QueueStatus[];
  waitingSince: ReadonlyMap<string, number>;
}

export async function read(parts: {
  broker: Broker;
  coordination: Coordination;
  database: Database;
  stages: Stages;
}): Promise<Readings> {
  const [workers, stages, queues, waiting] = await Promise.all([
    listWorkers(parts.coordination),
    parts.stages.list(),
    parts.broker.status(),
    parts.coordination.children(waitingPath),
  ]);
  const alive = workers.filter(({ presence }) => presence !== null).length;
  return {
    workers,
    stages,
    queues: await withBacklog(parts.database.query, queues, alive),
    waitingSince: new Map(waiting.map((node) => [node.name, Number(node.value)])),
  };
}

export function presencesOf(readings: Readings): WorkerPresence[] {
  return readings.workers.flatMap((worker) => worker.presence ?? []);
}

/** A time in the future was written while the clock was wrong. */
function notAfter(at: number, time: number | undefined): number | null {
  return time === undefined ? null : Math.min(time, at);
}

export function toSnapshot(readings: Readings, averages: Averages, at: number): Snapshot {
  const queues = new Map(readings.queues.map((queue) => [queue.name, queue]));
  const stages = readings.stages.filter((stage) => stage.mode === 'exclusive');
  const planned = new Set(stages.map((stage) => stage.name));
  return {
    at,
    stages: stages.map((stage): StageSnapshot => {
      const queue = queues.get(stage.name);
      return {
        name: stage.name,
        priority: stage.priority,
        labels: stage.labels,
        length: queue ? queueLength(queue) : 0,
        // A broker may know only the messages held by its own process.
        inFlight: Math.max(queue?.inFlight ?? 0, inFlightOf(stage.name, presencesOf(readings))),
        paused: queue?.paused ?? false,
        averageMs: averages[stage.name]?.meanMs ?? null,
        waitingSince: notAfter(at, readings.waitingSince.get(stage.name)),
        next: nextPlanned(stage.name, averages, planned),
      };
    }),
    workers: readings.workers.map(
      ({ record, presence }): WorkerSnapshot => ({
        id: record.id,
        labels: record.labels,
        stage: record.stage,
        alive: presence !== null,
        enabled: record.enabled,
        pinned: record.pinned,
        failed: presence?.state === 'FAILED',
        unable: Object.keys(presence?.unable ?? {}),
        failedLoads: presence?.failedLoads ?? {},
        // Longer than any stage keeps a worker: it was set while the clock was wrong.
        unlockAt: record.unlockAt > at + longestLockMs ? 0 : record.unlockAt,
        inFlight: presence?.inFlightOfStage ?? presence?.inFlight ?? 0,
        // Clocks of machines differ: a message that starts in the future has just started.
        ...(presence?.busySince ? { busyMs: Math.max(0, at - presence.busySince) } : {}),
        // A switching worker serves nothing; what counts is where it will be.
        serving: presence?.stage ?? record.stage,
        loaded: presence?.loaded ?? [],
        coldMs: presence?.coldMs ?? null,
        warmMs: presence?.warmMs ?? null,
      }),
    ),
  };
}

function inFlightOf(stage: string, presences: readonly WorkerPresence[]): number {
  return presences
    .filter((presence) => presence.stage === stage)
    .reduce((sum, presence) => sum + (presence.inFlightOfStage ?? 0), 0);
}

/** Rarer transitions are left out, and so are long paths through shared stages only. */
const leastShare = 0.01;
const mostHops = 10;

/** The planned stages that messages go to after this one. Shared stages need no plan and are passed through. */
function nextPlanned(from: string, averages: Averages, planned: ReadonlySet<string>): Record<string, number> {
  const shares = new Map<string, number>();
  const follow = (name: string, share: number, hops: number) => {
    const { next = {}, count = 1 } = averages[name] ?? {};
    for (const [to, went] of Object.entries(next)) {
      const part = (share * went) / Math.max(1, count);
      if (part < leastShare) continue;
      if (planned.has(to)) shares.set(to, (shares.get(to) ?? 0) + part);
      else if (hops < mostHops) follow(to, part, hops + 1);
    }
  };
  follow(from, 1, 0);
  return Object.fromEntries(shares);
}
