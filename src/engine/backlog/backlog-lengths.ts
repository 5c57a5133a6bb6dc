import { type QueueStatus, queueLength } from '../broker/broker.ts';
import type { Queries } from '../database/database.ts';
import { type Stream, waitingStreams } from './backlog-queries.ts';
import { isShortLength } from './short-queues.ts';

/** Maximum count: callers ask every second, and beyond this number it makes no difference. */
const mostCounted = 10_000;

export interface BacklogLength {
  high: number;
  normal: number;
}

/** How many items wait in the backlog for each queue, counted up to 10,000 of each kind. Paused items don't count. */
export async function backlogLengths(
  queries: Queries,
  counts: (stream: Stream) => boolean = () => true,
): Promise<Map<string, BacklogLength>> {
  const lengths = new Map<string, BacklogLength>();
  for (const stream of await waitingStreams(queries)) {
    if (!counts(stream)) continue;
    const length = lengths.get(stream.queue) ?? { high: 0, normal: 0 };
    length[stream.lane === 'high' ? 'high' : 'normal'] += await countStream(queries, stream);
    lengths.set(stream.queue, length);
  }
  return lengths;
}

/**
 * The queues including the items that wait in the backlog for them, for planning: what they would hold if they were not kept short.
 * Items held back by a later queue don't count: nobody could work on them now.
 */
export async function withBacklog(
  queries: Queries,
  queues: readonly QueueStatus[],
  workers: number,
): Promise<QueueStatus[]> {
  const long = new Set(
    queues.filter((queue) => !isShortLength(queueLength(queue), workers)).map(({ name }) => name),
  );
  const lengths = await backlogLengths(
    queries,
    ({ route }) => !route.split(',').some((name) => long.has(name)),
  );
  return queues.map((queue) => {
    const { high = 0, normal = 0 } = lengths.get(queue.name) ?? {};
    return { ...queue, ready: { high: queue.ready.high + high, normal: queue.ready.normal + normal } };
  });
}

async function countStream(queries: Queries, { queue, lane, route }: Stream): Promise<number> {
  const { count } = await queries
    .selectFrom(
      queries
        .selectFrom('backlog')
        .select('owner')
        .where('paused', '=', 0)
        .where('queue', '=', queue)
        .where('lane', '=', lane)
        .where('route', '=', route)
        .limit(mostCounted)
        .as('some'),
    )
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
