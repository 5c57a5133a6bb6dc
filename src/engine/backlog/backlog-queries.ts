import { type Selectable, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { Owner } from '../turns/weighted-turns.ts';

export type BacklogRow = Selectable<EngineTables['backlog']>;

/** Items that are released together: for the same queue, lane and later stages. */
export interface Stream {
  queue: string;
  lane: string;
  route: string;
}

/** The streams with items that are not paused. Each step looks up the next stream in the index, without reading rows. */
export async function waitingStreams(queries: Queries): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let last: Stream = { queue: '', lane: '', route: '' }; ; ) {
    const next = await nextStream(queries, last).executeTakeFirst();
    if (!next) return streams;
    last = next;
    streams.push(last);
  }
}

export function nextStream(queries: Queries, { queue, lane, route }: Stream) {
  return queries
    .selectFrom('backlog')
    .select(['queue', 'lane', 'route'])
    .where('paused', '=', 0)
    .where(sql<boolean>`("queue", "lane", "route") > (${queue}, ${lane}, ${route})`)
    .orderBy('queue')
    .orderBy('lane')
    .orderBy('route')
    .limit(1);
}

/**
 * The owners with due items in a stream, each with the weight of its first item. Walks from owner to owner through
 * the index: the cost depends on the number of owners, not of items.
 */
export function dueOwners(queries: Queries, { queue, lane, route }: Stream, now: number) {
  return queries
    .withRecursive('walk(owner)', (start) =>
      start
        .selectFrom('backlog')
        .select(({ fn }) => fn.min<string | null>('owner').as('owner'))
        .where('paused', '=', 0)
        .where('queue', '=', queue)
        .where('lane', '=', lane)
        .where('route', '=', route)
        .unionAll((step) =>
          step
            .selectFrom('walk')
            .select(({ selectFrom }) =>
              selectFrom('backlog')
                .select(({ fn }) => fn.min<string | null>('backlog.owner').as('owner'))
                .where('paused', '=', 0)
                .where('queue', '=', queue)
                .where('lane', '=', lane)
                .where('route', '=', route)
                .whereRef('backlog.owner', '>', 'walk.owner')
                .as('owner'),
            )
            .where('walk.owner', 'is not', null),
        ),
    )
    .selectFrom('walk')
    .innerJoin('backlog', (join) =>
      join.on('backlog.id', '=', ({ selectFrom }) =>
        selectFrom('backlog as item')
          .select('item.id')
          .where('item.paused', '=', 0)
          .where('item.queue', '=', queue)
          .where('item.lane', '=', lane)
          .where('item.route', '=', route)
          .whereRef('item.owner', '=', 'walk.owner')
          .where('item.notBefore', '<=', now)
          .orderBy('item.notBefore')
          .orderBy('item.id')
          .limit(1),
      ),
    )
    .select(['backlog.owner as name', 'backlog.weight'])
    .orderBy('name')
    .$castTo<Owner>();
}

/** The next items of an owner in a stream, in order. */
export function dueItems(
  queries: Queries,
  { queue, lane, route }: Stream,
  owner: string,
  now: number,
  limit: number,
) {
  return queries
    .selectFrom('backlog')
    .selectAll()
    .where('paused', '=', 0)
    .where('queue', '=', queue)
    .where('lane', '=', lane)
    .where('route', '=', route)
    .where('owner', '=', owner)
    .where('notBefore', '<=', now)
    .orderBy('notBefore')
    .orderBy('id')
    .limit(limit);
}

/** Whether items of this lane or a higher one wait for the queue. */
export async function isAwaited(
  queries: Queries,
  queue: string,
  lane: 'high' | 'normal' = 'normal',
): Promise<boolean> {
  const one = await queries
    .selectFrom('backlog')
    .select('id')
    .where('paused', '=', 0)
    .where('queue', '=', queue)
    .where('lane', 'in', lane === 'high' ? ['high'] : ['high', 'normal'])
    .limit(1)
    .executeTakeFirst();
  return one !== undefined;
}

/** Some items of a batch or for a queue, to change or delete them. */
export function itemsOf(queries: Queries, column: 'batch' | 'queue', value: string, limit: number) {
  return queries.selectFrom('backlog').select('id').where(column, '=', value).limit(limit);
}
