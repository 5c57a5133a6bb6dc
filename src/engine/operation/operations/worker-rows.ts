import type { Coordination } from '../../coordination/coordination.ts';
import { listWorkers, type WorkerView } from '../../worker/worker-record.ts';
import type { WorkerRow } from './rows.ts';

export async function workerRows(coordination: Coordination): Promise<WorkerRow[]> {
  return (await listWorkers(coordination)).map(toRow);
}

function toRow({ record, presence, state }: WorkerView): WorkerRow {
  return { ...record, state, presence };
}
