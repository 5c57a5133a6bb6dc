import type { QueueStatus } from '../../broker/broker.ts';
import { mayTouch, type OperationContext } from '../operation.ts';
import type { QueueRow } from './rows.ts';

/** The queues that a caller may see, by name: the queues of stages and the caller's own output queues. */
export async function visibleQueues({
  engine,
  caller,
}: Pick<OperationContext, 'engine' | 'caller'>): Promise<QueueRow[]> {
  const [statuses, stages, outputs] = await Promise.all([
    engine.broker.status(),
    engine.stages.list(),
    engine.database.query.selectFrom('outputQueue').select(['name', 'owner']).execute(),
  ]);
  const stageNames = new Set(stages.map((stage) => stage.name));
  const owners = new Map(outputs.map(({ name, owner }) => [name, owner]));
  const row = (status: QueueStatus): QueueRow => {
    const owner = owners.get(status.name) ?? null;
    const kind = stageNames.has(status.name) ? 'stage' : owner === null ? 'other' : 'output';
    return { ...status, kind, owner: kind === 'output' ? owner : null };
  };
  return statuses
    .map(row)
    .filter(({ owner }) => owner === null || mayTouch(caller, owner))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
