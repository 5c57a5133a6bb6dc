import { queueLength } from '../../broker/broker.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Stages } from '../../stage/stages.ts';
import { listWorkers, type WorkerView } from '../../worker/worker-record.ts';
import { type Check, Lasting } from './check.ts';

const shownMessages = 5;

/** Stages whose work has waited for longer than `noWorkerMs` without a worker. */
export function unservedStages(
  engine: Pick<Ports, 'broker' | 'clock' | 'coordination'> & { stages: Stages },
  noWorkerMs: number,
): Check {
  const { broker, clock, coordination } = engine;
  const unserved = new Lasting();
  return {
    kind: 'stage.no-worker',
    async look() {
      const [stages, queues, workers] = await Promise.all([
        engine.stages.list(),
        broker.status(),
        listWorkers(coordination),
      ]);
      const waiting = new Map(
        queues.filter((queue) => !queue.paused).map((queue) => [queue.name, queueLength(queue)]),
      );
      const reasons = new Map<string, string>();
      for (const stage of stages) {
        const reason = (waiting.get(stage.name) ?? 0) > 0 ? whyUnserved(stage, workers) : undefined;
        if (reason !== undefined) reasons.set(stage.name, reason);
      }
      const lasting = unserved.keep([...reasons.keys()], clock.now(), noWorkerMs);
      return Promise.all(
        [...lasting].map(async (stage) => {
          const count = waiting.get(stage) ?? 0;
          const messages = (await broker.peek(stage, { limit: shownMessages })).map((message) => message.id);
          const reason = `stage ${stage} has ${count} waiting and no worker: ${reasons.get(stage)}`;
          return { entity: stage, reason, details: { stage, waiting: count, messages } };
        }),
      );
    },
  };
}

/** Why no worker serves the stage and what to do; undefined if one does. */
export function whyUnserved(stage: Stage, workers: readonly WorkerView[]): string | undefined {
  const alive = workers.filter((worker) => worker.presence !== null);
  const able = alive.filter(({ record }) => stage.labels.every((label) => record.labels.includes(label)));
  const enabled = able.filter(({ record }) => record.enabled);
  const assigned = enabled.filter(({ record }) => stage.mode === 'shared' || record.stage === stage.name);
  const failed = assigned.filter((worker) => stage.mode === 'exclusive' && worker.state === 'FAILED');
  if (assigned.length > failed.length) return undefined;
  const [broken] = failed;
  if (broken) return `worker ${broken.record.id} can't load it (${broken.record.failure ?? 'see its log'})`;
  if (alive.length === 0) return 'no worker is alive; start one with `pismak worker run`';
  if (able.length === 0) return `no live worker has the labels it needs (${stage.labels.join(', ')})`;
  if (enabled.length === 0)
    return 'all workers that could serve it are disabled; enable one with `pismak worker enable`';
  if (stage.priority === -1)
    return 'its priority is -1, so no worker is assigned to it; change it with `pismak stage priority`';
  if (enabled.every(({ record }) => record.pinned))
    return 'all workers that could serve it are pinned to other stages';
  return 'all workers that could serve it are busy with other stages; start more, or raise its priority';
}
