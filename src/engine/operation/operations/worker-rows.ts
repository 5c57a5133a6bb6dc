import { z } from 'zod';
import type { Coordination } from '../../coordination/coordination.ts';
import { listWorkers, type WorkerView, workerPresence, workerRecord } from '../../worker/worker-record.ts';

export const workerRow = z.strictObject({
  ...workerRecord.shape,
  state: z.enum([...workerPresence.shape.state.options, 'DEAD']),
  presence: workerPresence.nullable().describe('State that the worker reports; null if it is not running'),
});
export type WorkerRow = z.infer<typeof workerRow>;

export async function workerRows(coordination: Coordination): Promise<WorkerRow[]> {
  return (await listWorkers(coordination)).map(toRow);
}

function toRow({ record, presence, state }: WorkerView): WorkerRow {
  return { ...record, state, presence };
}
