import type { Coordination } from '../coordination/coordination.ts';
import { PismakError } from '../ground/errors.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { changeWorker, parsePresence, presencePath } from './worker-record.ts';

const lookMs = 250;

/**
 * Tells a worker anywhere in the cluster to stop: it follows its record. Resolves to whether it left within `waitMs`. A worker
 * that has left already counts as stopped.
 */
export async function stopWorker(
  { coordination, clock }: { coordination: Coordination; clock: Clock },
  id: string,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<boolean> {
  const running = await lifeOf(coordination, id);
  const { leftAt } = await changeWorker(coordination, id, (record) =>
    running === undefined ? undefined : { ...record, stop: running.life },
  );
  if (running === undefined) {
    if (leftAt !== null) return true;
    throw new PismakError(
      'conflict',
      `worker ${id} is not running: it vanished without leaving; \`pismak worker forget ${id}\` removes it from the list`,
    );
  }
  const end = clock.now() + waitMs;
  while ((await lifeOf(coordination, id))?.life === running.life) {
    if (clock.now() >= end) return false;
    await sleep(clock, Math.min(lookMs, Math.max(1, end - clock.now())), signal);
    signal.throwIfAborted();
  }
  return true;
}

async function lifeOf(coordination: Coordination, id: string): Promise<{ life: string } | undefined> {
  const node = await coordination.get(`${presencePath}/${id}`);
  if (!node) return undefined;
  const { life } = parsePresence(node);
  if (life === undefined)
    throw new PismakError('conflict', `worker ${id} is of a version that cannot be stopped from elsewhere`);
  return { life };
}
