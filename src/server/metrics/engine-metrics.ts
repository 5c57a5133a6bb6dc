import type { QueueStatus } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { visibleQueues } from '../../engine/operation/operations/visible-queues.ts';
import { listWorkers, type WorkerPresence, type WorkerState } from '../../engine/worker/worker-record.ts';
import type { Metric, Sample } from './prometheus.ts';

/** The current state of the engine: its events, its workers, and the queues that the caller may see. */
export async function engineMetrics(engine: Engine, caller: Caller): Promise<Metric[]> {
  const [queues, workers, ofHouses] = await Promise.all([
    visibleQueues({ engine, caller }),
    listWorkers(engine.coordination),
    Promise.all(engine.houses.map((house) => house.metrics?.(engine, caller) ?? [])),
  ]);
  return [
    ...queueMetrics(queues, engine.clock.now()),
    ...workerMetrics(workers),
    ...ofHouses.flat(),
    {
      name: 'pismak_events_dropped_total',
      help: 'Events dropped from the buffer before they were read',
      type: 'counter',
      samples: [{ value: engine.events.dropped }],
    },
  ];
}

type Measured = QueueStatus & { backlog?: number };

export function queueMetrics(queues: readonly Measured[], now: number): Metric[] {
  const perQueue = (name: string, help: string, value: (queue: Measured) => number): Metric => ({
    name,
    help,
    type: 'gauge',
    samples: queues.map((queue) => ({ labels: { queue: queue.name }, value: value(queue) })),
  });
  return [
    {
      name: 'pismak_queue_ready',
      help: 'Waiting messages, per lane',
      type: 'gauge',
      samples: queues.flatMap((queue) => [
        { labels: { queue: queue.name, lane: 'high' }, value: queue.ready.high },
        { labels: { queue: queue.name, lane: 'normal' }, value: queue.ready.normal },
      ]),
    },
    perQueue(
      'pismak_queue_backlog',
      'Work that waits in the database for its turn to enter the queue, counted up to 10,000 per lane and route',
      (queue) => queue.backlog ?? 0,
    ),
    perQueue('pismak_queue_in_flight', 'Messages being processed', (queue) => queue.inFlight),
    perQueue('pismak_queue_delayed', 'Messages waiting for a retry', (queue) => queue.delayed),
    perQueue('pismak_queue_dead', 'Dead letters', (queue) => queue.dead),
    perQueue('pismak_queue_oldest_seconds', 'Age of the oldest waiting message', (queue) =>
      queue.oldestAt === null ? 0 : Math.max(0, now - queue.oldestAt) / 1000,
    ),
    perQueue('pismak_queue_paused', '1 while the queue is paused', (queue) => Number(queue.paused)),
  ];
}

export function workerMetrics(workers: readonly MeasuredWorker[]): Metric[] {
  const states = new Map<string, number>();
  const processed: Sample[] = [];
  const seconds: Sample[] = [];
  const means = new Map<string, { count: number; totalMs: number }>();
  for (const { record, presence, state } of workers) {
    states.set(state, (states.get(state) ?? 0) + 1);
    for (const [stage, { count, meanMs }] of Object.entries(presence?.timings ?? {})) {
      const labels = { worker: record.id, stage };
      processed.push({ labels, value: count });
      seconds.push({ labels, value: (count * meanMs) / 1000 });
      const sum = means.get(stage) ?? { count: 0, totalMs: 0 };
      means.set(stage, { count: sum.count + count, totalMs: sum.totalMs + count * meanMs });
    }
  }
  // Per worker, because a counter may only drop to zero, and the counter of a restarted worker does.
  const total = { type: 'counter' } as const;
  return [
    {
      name: 'pismak_workers',
      help: 'Workers per state',
      type: 'gauge',
      samples: [...states].map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      ...total,
      name: 'pismak_processed_total',
      help: 'Requests processed since the worker started',
      samples: processed,
    },
    {
      ...total,
      name: 'pismak_processing_seconds_total',
      help: 'Time spent processing requests',
      samples: seconds,
    },
    {
      name: 'pismak_processing_seconds_mean',
      help: 'Mean processing time of a request, over the running workers',
      type: 'gauge',
      samples: [...means]
        .filter(([, { count }]) => count > 0)
        .map(([stage, { count, totalMs }]) => ({ labels: { stage }, value: totalMs / count / 1000 })),
    },
  ];
}

/** The parts of a worker that the metrics need. */
interface MeasuredWorker {
  record: { id: string };
  presence: Pick<WorkerPresence, 'timings'> | null;
  state: WorkerState;
}
