import { ownersOf } from '../../engine/blob-owners/owners-of.ts';
import type { Queries } from '../database/database.ts';
import { documentOwner } from './document.ts';

/** Whether one of this user's documents owns the blob, so that the user may read it. */
export async function isInDocument(queries: Queries, name: string, hash: string): Promise<boolean> {
  const row = await queries
    .selectFrom(ownersOf(queries, hash, documentOwner('')).as('holder'))
    .innerJoin('transcription_document as document', 'document.id', 'holder.id')
    .select('document.id')
    .where('document.owner', '=', name)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
