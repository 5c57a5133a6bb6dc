import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';

export async function isOwnedBy(queries: Queries, hash: string, owner: string): Promise<boolean> {
  const row = await queries
    .selectFrom('blobRef')
    .select('hash')
    .where('hash', '=', hash)
    .where('owner', '=', owner)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The owners of a blob whose names start with `prefix`, as a query to join with a house's own tables: `id` is the rest of the
 * name, so `ownersOf(queries, hash, 'document:')` gives the ids of documents.
 */
export function ownersOf(queries: Queries, hash: string, prefix: string) {
  const length = [...prefix].length;
  return queries
    .selectFrom('blobRef')
    .select(sql<string>`substr("owner", ${sql.lit(length + 1)})`.as('id'))
    .where('hash', '=', hash)
    .where(sql`substr("owner", 1, ${sql.lit(length)})`, '=', prefix);
}
