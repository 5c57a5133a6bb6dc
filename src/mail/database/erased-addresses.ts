import { hash } from 'node:crypto';
import type { Queries } from '../../engine/database/database.ts';
import type { MailTables } from './tables.ts';

/** When addresses were erased, by `erasedKey`. Mails that are older must not come back from a queue. */
export type ErasedAddresses = ReadonlyMap<string, number>;

/** What senders know of erasures and cancellations is at most so old. */
export const withdrawnFreshMs = 1000;

/** The address itself is not kept. */
export function erasedKey(address: string): string {
  return hash('sha256', address, 'hex');
}

export async function markErased(queries: Queries<MailTables>, address: string, at: number): Promise<void> {
  await queries
    .insertInto('mail_erased')
    .values({ key: erasedKey(address), at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ at }))
    .execute();
}

export async function readErased(
  queries: Queries<MailTables>,
  addresses?: readonly string[],
): Promise<ErasedAddresses> {
  const rows = await queries
    .selectFrom('mail_erased')
    .selectAll()
    .$if(addresses !== undefined, (query) => query.where('key', 'in', (addresses ?? []).map(erasedKey)))
    .execute();
  return new Map(rows.map(({ key, at }) => [key, Number(at)]));
}

export function isErased(
  erased: ErasedAddresses,
  { recipient, createdAt }: { recipient: string; createdAt: number },
): boolean {
  return erased.size > 0 && createdAt <= (erased.get(erasedKey(recipient)) ?? Number.NEGATIVE_INFINITY);
}

/**
 * Deletes those of the rows just stored whose recipient was erased meanwhile. It must follow the commit of the rows: whoever
 * erases marks the address before he deletes, so one of the two sees each row.
 */
export async function deleteErased(
  queries: Queries<MailTables>,
  rows: readonly { id: string; recipient: string; createdAt: number }[],
): Promise<void> {
  // Nobody is erased most of the time, and the hashes of all recipients cost as much as their rows.
  const [any] = await queries.selectFrom('mail_erased').select('at').limit(1).execute();
  if (!any) return;
  const erased = await readErased(
    queries,
    rows.map(({ recipient }) => recipient),
  );
  const ids = rows.filter((row) => isErased(erased, row)).map(({ id }) => id);
  if (ids.length > 0) await queries.deleteFrom('mail_mail').where('id', 'in', ids).execute();
}
