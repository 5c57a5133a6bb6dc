import { type Broker, type QueueStatus, queueLength } from '../broker/broker.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Stage } from '../stage/stage.ts';
import type { Stages } from '../stage/stages.ts';
import { listWorkers, type WorkerPresence, type WorkerView } from '../worker-record.ts';
import type { Averages } from './averages.ts';
import type { Snapshot, StageSnapshot, WorkerSnapshot } from './policy.ts';

/** Where the watchdog keeps, for each stage, since when its messages wait with nobody serving them. */
export const waitingPath = '/watchdog/waiting';

/** What the watchdog reads in one round. */
export interface Readings {
  workers: WorkerView[];
  stages: Stage[];
  queues: QueueStatus[];
  waitingSince: ReadonlyMap<string, number>;
}

export async function read(parts: {
  broker: Broker;
  coordination: Coordination;
  stages: Stages;
}): Promise<Readings> {
  const [workers, stages, queues, waiting] = await Promise.all([
    listWorkers(parts.coordination),
    parts.stages.list(),
    parts.broker.status(),
    parts.coordination.children(waitingPath),
  ]);
  return {
    workers,
    stages,
    queues,
    waitingSince: new Map(waiting.map((node) => [node.name, Number(node.value)])),
  };
}

export function presencesOf(readings: Readings): WorkerPresence[] {
  return readings.workers.flatMap((worker) => worker.presence ?? []);
}

export function toSnapshot(readings: Readings, averages: Averages, at: number): Snapshot {
  const queues = new Map(readings.queues.map((queue) => [queue.name, queue]));
  const stages = readings.stages.filter((stage) => stage.mode === 'exclusive');
  return {
    at,
    stages: stages.map((stage): StageSnapshot => {
      const queue = queues.get(stage.name);
      return {
        name: stage.name,
        priority: stage.priority,
        labels: stage.labels,
        length: queue ? queueLength(queue) : 0,
        inFlight: queue?.inFlight ?? 0,
        paused: queue?.paused ?? false,
        averageMs: averages[stage.name]?.meanMs ?? null,
        waitingSince: readings.waitingSince.get(stage.name) ?? null,
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
        unlockAt: record.unlockAt,
        inFlight: presence?.inFlight ?? 0,
      }),
    ),
  };
}
