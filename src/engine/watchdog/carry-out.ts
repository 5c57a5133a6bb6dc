import { hasCode } from '../ground/errors.ts';
import type { ServiceContext } from '../service/service.ts';
import { changeWorker } from '../worker/worker-record.ts';
import type { Assignment, Plan } from './policy.ts';
import { type Readings, waitingPath } from './snapshot.ts';
import { unservedStages } from './unserved-stages.ts';

/** Writes one assignment, unless the worker has changed since the snapshot. Resolves to whether it was written. */
export async function carryOut(
  { coordination, hold }: ServiceContext,
  { worker, from, to, unlockAt }: Assignment,
): Promise<boolean> {
  let written = false;
  try {
    await changeWorker(
      coordination,
      worker,
      (record) => {
        written = record.enabled && !record.pinned && record.stage === from;
        return written ? { ...record, stage: to, unlockAt } : undefined;
      },
      { under: hold },
    );
  } catch (error) {
    if (hasCode(error, 'not-found')) return false;
    throw error;
  }
  return written;
}

/** Maintains the nodes that record since when a stage waits without a worker, so that a new leader continues the count. */
export async function noteWaiting(
  { coordination, hold }: ServiceContext,
  readings: Readings,
  plan: Plan,
  at: number,
): Promise<void> {
  const waiting = unservedStages(plan);
  for (const stage of waiting) {
    if (readings.waitingSince.has(stage)) continue;
    await coordination.set(`${waitingPath}/${stage}`, String(at), { under: hold });
  }
  for (const stage of readings.waitingSince.keys()) {
    if (!waiting.has(stage)) await coordination.delete(`${waitingPath}/${stage}`, { under: hold });
  }
}
