import type { Statistics } from '../statistics.ts';

const cubesAtOnce = 100;

/**
 * Deletes everything that is counted about a user: sums, entities with their names, corrections, and who may read them. Tokens of
 * batches stay until they expire: otherwise a batch that is sent again would bring the sums back.
 */
export async function eraseUser(
  { store, attributes, database }: Statistics,
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
