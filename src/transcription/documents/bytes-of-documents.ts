import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';

/** Owned by `document:ID`; a document shows its owner everything that it owns. */
export async function isInDocument(queries: Queries, name: string, hash: string): Promise<boolean> {
  const row = await queries
    .selectFrom('blobRef')
    .innerJoin('transcription_document as document', (join) =>
      join.on(sql`substr("blobRef"."owner", 10)`, '=', sql.ref('document.id')),
    )
    .select('document.id')
    .where('blobRef.hash', '=', hash)
    .where('blobRef.owner', 'like', 'document:%')
    .where('document.owner', '=', name)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
