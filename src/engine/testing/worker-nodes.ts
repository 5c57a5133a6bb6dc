import type { Coordination } from '../coordination/coordination.ts';
import {
  presencePath,
  type WorkerPresence,
  type WorkerRecord,
  workersPath,
} from '../worker/worker-record.ts';

/** Writes the nodes of a worker, for tests of code that only reads workers. No presence (null) = the worker is dead. */
export async function writeWorker(
  coordination: Coordination,
  id: string,
  record: Partial<WorkerRecord> = {},
  presence: Partial<WorkerPresence> | null = {},
): Promise<void> {
  await coordination.set(`${workersPath}/${id}`, JSON.stringify({ ...idleRecord, id, ...record }));
  if (presence) await writePresence(coordination, id, presence);
  else await coordination.delete(`${presencePath}/${id}`);
}

export async function writePresence(
  coordination: Coordination,
  id: string,
  presence: Partial<WorkerPresence>,
): Promise<void> {
  await coordination.set(`${presencePath}/${id}`, JSON.stringify({ ...idlePresence, id, ...presence }));
}

const idleRecord: Omit<WorkerRecord, 'id'> = {
  host: 'here',
  labels: [],
  stage: null,
  enabled: true,
  pinned: false,
  unlockAt: 0,
  registeredAt: 0,
  failure: null,
  leftAt: null,
};

const idlePresence: Omit<WorkerPresence, 'id'> = {
  pid: 1,
  state: 'IDLE',
  stage: null,
  stageVersion: 0,
  inFlight: 0,
  loaded: [],
  startedAt: 1,
  heartbeatAt: 1,
  timings: {},
  unable: {},
  switchMs: null,
};
