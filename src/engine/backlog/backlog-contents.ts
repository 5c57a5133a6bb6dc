import type { Queries } from '../database/database.ts';

/** Selects items of a batch: all of them, or all except those of one queue. */
interface Which {
  exceptQueue?: string;
}

/** How many items of each batch still wait in the backlog, paused or not. Batches without items are left out. */
export async function countInBacklog(
  queries: Queries,
  batches: readonly string[],
  { exceptQueue }: Which = {},
): Promise<Map<string, number>> {
  if (batches.length === 0) return new Map();
  const rows = await queries
    .selectFrom('backlog')
    .select(({ fn }) => ['batch', fn.countAll().as('count')])
    .where('batch', 'in', batches)
    .$if(exceptQueue !== undefined, (query) => query.where('queue', '!=', exceptQueue ?? ''))
    .groupBy('batch')
    .execute();
  return new Map(rows.map(({ batch, count }) => [batch, Number(count)]));
}

/**
 * Uuids of the requests of a batch that are still in the backlog. To find what has left it, first read your own rows and
 * then call this: a request is in the backlog before it is anywhere else. With `only`, looks for this uuid alone.
 */
export async function requestsInBacklog(
  queries: Queries,
  batch: string,
  { exceptQueue, only }: Which & { only?: string } = {},
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('backlog')
    .select('messageId')
    .where('batch', '=', batch)
    .$if(exceptQueue !== undefined, (query) => query.where('queue', '!=', exceptQueue ?? ''))
    .$if(only !== undefined, (query) =>
      query.where(({ eb, fn }) =>
        eb(fn('substr', ['messageId', eb.val(1), eb.val(`${only}/`.length)]), '=', `${only}/`),
      ),
    )
    .execute();
  // `uuid/stages remaining`, see `toMessage`.
  return new Set(rows.map(({ messageId }) => messageId.slice(0, messageId.lastIndexOf('/'))));
}
