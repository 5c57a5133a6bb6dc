import { sayAlert } from '../../alert/sentences.ts';
import { queueLength } from '../../broker/broker.ts';
import type { Sentence } from '../../ground/sentence.ts';
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
      const reasons = new Map<string, Sentence>();
      for (const stage of stages) {
        const count = waiting.get(stage.name) ?? 0;
        const reason = count > 0 ? whyUnserved(stage, count, workers) : undefined;
        if (reason !== undefined) reasons.set(stage.name, reason);
      }
      const lasting = unserved.keep([...reasons.keys()], clock.now(), noWorkerMs);
      const found = [...reasons].filter(([stage]) => lasting.has(stage));
      return Promise.all(
        found.map(async ([stage, reason]) => {
          const count = waiting.get(stage) ?? 0;
          const messages = (await broker.peek(stage, { limit: shownMessages })).map((message) => message.id);
          return {
            entity: stage,
            reason,
            details: { stage, waiting: count, messages },
          };
        }),
      );
    },
  };
}

/** Why no worker serves the stage and what to do; undefined if one does. */
function whyUnserved(stage: Stage, waiting: number, workers: readonly WorkerView[]): Sentence | undefined {
  const it = { stage: stage.name, waiting };
  const alive = workers.filter((worker) => worker.presence !== null);
  const able = alive.filter(({ record }) => stage.labels.every((label) => record.labels.includes(label)));
  const enabled = able.filter(({ record }) => record.enabled);
  const assigned = enabled.filter(({ record }) => stage.mode === 'shared' || record.stage === stage.name);
  const failed = assigned.filter((worker) => stage.mode === 'exclusive' && worker.state === 'FAILED');
  if (assigned.length > failed.length) return undefined;
  const [broken] = failed;
  if (broken) {
    const { id: worker, failure } = broken.record;
    return sayAlert('stage.no-worker.unable', { ...it, worker, why: failure ?? 'see its log' });
  }
  if (alive.length === 0) return sayAlert('stage.no-worker', it);
  if (able.length === 0) return sayAlert('stage.no-worker.labels', { ...it, labels: stage.labels });
  if (enabled.length === 0) return sayAlert('stage.no-worker.disabled', it);
  if (stage.priority === -1) return sayAlert('stage.no-worker.priority', it);
  if (enabled.every(({ record }) => record.pinned)) return sayAlert('stage.no-worker.pinned', it);
  return sayAlert('stage.no-worker.busy', it);
}
