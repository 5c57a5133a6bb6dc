import { recordPut } from '../blob-owners/blob-access.ts';
import type { BlobReference } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';

/** Records a complete upload: its owner has a day to use the bytes, and until then they count against the owner's limit. */
export async function recordUpload(
  transaction: Queries,
  { id, owner, hash, size }: BlobReference & { id: string; owner: string },
  now: number,
): Promise<void> {
  await transaction
    .updateTable('upload')
    .set({ state: 'finished', createdAt: now, hash, size })
    .where('id', '=', id)
    .execute();
  await recordPut(transaction, { hash, size }, owner, now);
}
