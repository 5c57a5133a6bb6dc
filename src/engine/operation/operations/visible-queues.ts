import type { QueueStatus } from '../../broker/broker.ts';
import type { OperationContext } from '../operation.ts';
import type { QueueRow } from './rows.ts';
import { sightOf } from './sight.ts';

/**
 * The queues that a caller may see, by name: queues of stages and the caller's own output queues. Administrators see
 * all queues, including those of other programs on the same server.
 */
export async function visibleQueues(
  context: Pick<OperationContext, 'engine' | 'caller'>,
): Promise<QueueRow[]> {
  const { engine } = context;
  const { backlogLengths } = await import('../../backlog/backlog-lengths.ts');
  const [statuses, stages, outputs, sight, lengths] = await Promise.all([
    engine.broker.status(),
    engine.stages.list(),
    engine.database.query.selectFrom('outputQueue').select(['name', 'owner']).execute(),
    sightOf(context),
    backlogLengths(engine.database.query),
  ]);
  const stageNames = new Set(stages.map((stage) => stage.name));
  const owners = new Map(outputs.map(({ name, owner }) => [name, owner]));
  const row = (status: QueueStatus): QueueRow => {
    const owner = owners.get(status.name) ?? null;
    const kind = stageNames.has(status.name) ? 'stage' : owner === null ? 'other' : 'output';
    const { high = 0, normal = 0 } = lengths.get(status.name) ?? {};
    return { ...status, backlog: high + normal, kind, owner: kind === 'output' ? owner : null };
  };
  return statuses
    .filter(({ name }) => sight.queue(name))
    .map(row)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
