import type { Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/ground/errors.ts';

/** Of one person. */
export const mostViews = 200;

export interface SavedView {
  page: string;
  name: string;
  address: string;
  changedAt: number;
}

/** The views that a person has saved, of one page or all, by name. */
export function listViews(queries: Queries, owner: string, page: string | undefined): Promise<SavedView[]> {
  let query = queries
    .selectFrom('savedView')
    .select(['page', 'name', 'address', 'changedAt'])
    .where('owner', '=', owner);
  if (page !== undefined) query = query.where('page', '=', page);
  return query.orderBy('page').orderBy('name').limit(mostViews).execute();
}

/** Saves a view, or replaces the one of that name. */
export async function setView(transaction: Queries, owner: string, view: SavedView): Promise<void> {
  const { address, changedAt } = view;
  await transaction
    .insertInto('savedView')
    .values({ owner, ...view })
    .onConflict((conflict) => conflict.columns(['owner', 'page', 'name']).doUpdateSet({ address, changedAt }))
    .execute();
  const row = await transaction
    .selectFrom('savedView')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (Number(row?.count ?? 0) <= mostViews) return;
  throw new PismakError(
    'quota-exceeded',
    `you have ${mostViews} saved views, and that is the limit; delete some`,
    {
      details: { limit: mostViews },
    },
  );
}

/** False if there was no such view. */
export async function deleteView(
  queries: Queries,
  owner: string,
  { page, name }: Pick<SavedView, 'page' | 'name'>,
): Promise<boolean> {
  const deleted = await queries
    .deleteFrom('savedView')
    .where('owner', '=', owner)
    .where('page', '=', page)
    .where('name', '=', name)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows) > 0;
}

export async function deleteViews(transaction: Queries, owner: string): Promise<void> {
  await transaction.deleteFrom('savedView').where('owner', '=', owner).execute();
}
