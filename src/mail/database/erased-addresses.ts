import { hash } from 'node:crypto';
import type { Queries } from '../../engine/database/database.ts';
import type { MailTables } from './tables.ts';

/** When addresses were erased, by `erasedKey`. Queued mails older than that must not be sent. */
export type ErasedAddresses = ReadonlyMap<string, number>;

/** Senders know erasures and cancellations after this delay at most. */
export const withdrawnFreshMs = 1000;

/** Only the hash of an address is kept. */
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
 * Deletes rows just stored whose recipient was erased meanwhile. Call it after the rows are committed: an erasure marks the
 * address before it deletes, so one of the two sees each row.
 */
export async function deleteErased(
  queries: Queries<MailTables>,
  rows: readonly { id: string; recipient: string; createdAt: number }[],
): Promise<void> {
  // The table is usually empty, and hashing all recipients costs as much as storing their rows.
  const [any] = await queries.selectFrom('mail_erased').select('at').limit(1).execute();
  if (!any) return;
  const erased = await readErased(
    queries,
    rows.map(({ recipient }) => recipient),
  );
  const ids = rows.filter((row) => isErased(erased, row)).map(({ id }) => id);
  if (ids.length > 0) await queries.deleteFrom('mail_mail').where('id', 'in', ids).execute();
}
