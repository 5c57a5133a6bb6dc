import { backlogLengths } from '../backlog/backlog-lengths.ts';
import type { QueueStatus } from '../broker/broker.ts';
import type { Ports } from '../ports/ports.ts';
import type { Stages } from '../stage/stages.ts';
import { listWorkers, type WorkerView } from '../worker/worker-record.ts';
import { ofNobody, type SampledQueue } from './sample.ts';

/** A node has room for 512 KB. */
const mostQueues = 1_000;
const mostWorkers = 1_000;

/** Queues and workers of the whole cluster. */
export async function readCluster(
  parts: Pick<Ports, 'broker' | 'coordination' | 'database'> & { stages: Stages },
): Promise<{ queues: SampledQueue[]; workers: WorkerView[] }> {
  const { broker, coordination, database, stages } = parts;
  const [statuses, known, outputs, lengths, workers] = await Promise.all([
    broker.status(),
    stages.list(),
    database.query.selectFrom('outputQueue').select(['name', 'owner']).execute(),
    backlogLengths(database.query),
    listWorkers(coordination),
  ]);
  const owners = new Map<string, string | undefined>(outputs.map(({ name, owner }) => [name, owner]));
  for (const { name } of known) owners.set(name, undefined);
  const queues = statuses.map((status) => {
    const { high = 0, normal = 0 } = lengths.get(status.name) ?? {};
    const owner = owners.has(status.name) ? owners.get(status.name) : ofNobody;
    return toSampled(status, owner, high + normal);
  });
  return {
    queues: queues
      .filter((queue) => Object.keys(queue).some((key) => key !== 'name' && key !== 'owner'))
      .slice(0, mostQueues),
    workers: workers.slice(0, mostWorkers),
  };
}

function toSampled(
  { name, ready, delayed, inFlight, dead, oldestAt, paused, broken }: QueueStatus,
  owner: string | undefined,
  backlog: number,
): SampledQueue {
  return {
    name,
    ...(owner !== undefined && { owner }),
    ...counts({ ready: ready.high + ready.normal, high: ready.high, backlog, delayed, inFlight, dead }),
    ...(oldestAt !== null && { oldestAt }),
    ...(paused && { paused }),
    ...(broken !== undefined && { broken: true }),
  };
}

function counts<Name extends string>(all: Record<Name, number>): Partial<Record<Name, number>> {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0)) as Partial<
    Record<Name, number>
  >;
}

export function toSampledWorker({ record, presence, state }: WorkerView) {
  const stage = presence?.stage ?? record.stage;
  return {
    id: record.id,
    state,
    ...(stage !== null && { stage }),
    ...(presence && presence.inFlight > 0 && { inFlight: presence.inFlight }),
    ...(presence?.busySince && { busySince: presence.busySince }),
  };
}
