import type { Ports } from '../ports/ports.ts';
import type { Stages } from '../stage/stages.ts';
import { listWorkers } from './worker-record.ts';

const freshMs = 1000;

/** How many messages of a stage its workers can process at once, at most a second out of date. 0 for other queues. */
export function servingSlots(
  engine: Pick<Ports, 'clock' | 'coordination'> & { stages: Stages },
): (queue: string) => Promise<number> {
  let known: { at: number; slots: Promise<Map<string, number>> } | undefined;
  return async (queue) => {
    const at = engine.clock.now();
    if (!known || at - known.at >= freshMs) known = { at, slots: countSlots(engine) };
    return (await known.slots).get(queue) ?? 0;
  };
}

async function countSlots({
  coordination,
  stages,
}: Pick<Ports, 'coordination'> & { stages: Stages }): Promise<Map<string, number>> {
  const [defined, workers] = await Promise.all([stages.list(), listWorkers(coordination)]);
  const serving = workers.filter(({ presence, record }) => presence !== null && record.enabled);
  return new Map(
    defined.map(({ name, mode, labels, concurrency }) => {
      const its = serving.filter(({ record }) =>
        mode === 'exclusive' ? record.stage === name : labels.every((label) => record.labels.includes(label)),
      );
      return [name, its.length * concurrency];
    }),
  );
}
