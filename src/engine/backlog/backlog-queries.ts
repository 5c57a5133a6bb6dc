import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { Owner } from './fair-turns.ts';

export type BacklogRow = EngineTables['backlog'];

/**
 * The owners with something due in a queue, each with the weight of its first item. Walks from owner to owner through
 * the index: the cost depends on the number of owners, not of items.
 */
export function dueOwners(queries: Queries, queue: string, now: number) {
  return queries
    .withRecursive('walk(owner)', (start) =>
      start
        .selectFrom('backlog')
        .select(({ fn }) => fn.min<string | null>('owner').as('owner'))
        .where('queue', '=', queue)
        .where('paused', '=', 0)
        .unionAll((step) =>
          step
            .selectFrom('walk')
            .select(({ selectFrom }) =>
              selectFrom('backlog')
                .select(({ fn }) => fn.min<string | null>('backlog.owner').as('owner'))
                .where('queue', '=', queue)
                .where('paused', '=', 0)
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
          .where('item.queue', '=', queue)
          .where('item.paused', '=', 0)
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

/** The next items of an owner, in their order. */
export function dueItems(queries: Queries, queue: string, owner: string, now: number, limit: number) {
  return queries
    .selectFrom('backlog')
    .selectAll()
    .where('queue', '=', queue)
    .where('paused', '=', 0)
    .where('owner', '=', owner)
    .where('notBefore', '<=', now)
    .orderBy('notBefore')
    .orderBy('id')
    .limit(limit);
}
