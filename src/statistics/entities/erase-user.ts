import { PismakError } from '../../engine/ground/errors.ts';
import { formatMonth } from '../calendar/days.ts';
import type { StatisticsDatabase } from '../database/tables.ts';
import { closedMonthOf } from '../store/closed-months.ts';
import type { StatisticsStore } from '../store/store.ts';
import type { AttributeCache } from './attributes.ts';

const cubesAtOnce = 100;

/** Where statistics of users are stored and cached. */
interface Stored {
  store: StatisticsStore;
  attributes: AttributeCache;
  database: StatisticsDatabase;
}

/**
 * Deletes everything that is counted about a user: sums, entities with their names, corrections, and who may read them. Tokens of
 * batches stay until they expire: otherwise a batch that is sent again would bring the sums back.
 */
export async function eraseUser(
  { store, attributes, database }: Stored,
  { user, kind, signal }: { user: string; kind?: string | undefined; signal: AbortSignal },
): Promise<{ kinds: number; entities: number; corrections: number }> {
  const erased = { kinds: 0, entities: 0, corrections: 0 };
  for (let afterId = 0; ; ) {
    const page = await store.cubes({ user, kind, afterId, limit: cubesAtOnce });
    for (const { id } of page) {
      signal.throwIfAborted();
      erased.entities += await store.erase(id);
      erased.kinds++;
      attributes.forget(id);
    }
    afterId = page.at(-1)?.id ?? 0;
    if (page.length < cubesAtOnce) break;
  }
  let corrections = database.query.deleteFrom('statistics_correction').where('user', '=', user);
  if (kind !== undefined) corrections = corrections.where('kind', '=', kind);
  erased.corrections = Number((await corrections.executeTakeFirst()).numDeletedRows);
  if (kind === undefined)
    await database.query.deleteFrom('statistics_access').where('user', '=', user).execute();
  return erased;
}

/**
 * Resolves to what erases all statistics of an account that is being deleted, and its rights to read others. Refuses if a closed month
 * has sums of the account, because invoices may rest on them.
 */
export async function forgetAccount(statistics: Stored, user: string) {
  const closed = await closedMonthOf(statistics, user);
  if (closed !== undefined)
    throw new PismakError(
      'conflict',
      `${user} has statistics in ${formatMonth(closed)}, which is closed: keep them with keep (--keep statistics), or erase them first (statistics erase ${user})`,
    );
  return async (signal: AbortSignal) => {
    await eraseUser(statistics, { user, signal });
    await statistics.database.query.deleteFrom('statistics_access').where('reader', '=', user).execute();
  };
}
