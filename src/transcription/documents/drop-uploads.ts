import { giveUp } from '../../engine/blobs/owners/blob-erasure.ts';
import type { Queries } from '../../engine/database/database.ts';
import { ownerOf, type UploadParts } from './uploads.ts';

/** How long an upload waits for its parts, and then for a document. */
export const keptMs = 24 * 60 * 60 * 1000;

export async function deleteUpload({ clock, database }: UploadParts, id: string): Promise<void> {
  await database.transaction((transaction) => remove(transaction, id, clock.now()));
}

/** A document has the bytes now: they no longer count as an upload. */
export async function dropUsed(
  transaction: Queries,
  { owner, hash, now }: { owner: string; hash: string; now: number },
): Promise<void> {
  const used = await transaction
    .selectFrom('upload')
    .innerJoin('uploadPart', 'uploadPart.upload', 'upload.id')
    .select('upload.id')
    .where('upload.owner', '=', owner)
    .where('upload.state', '=', 'finished')
    .where('uploadPart.hash', '=', hash)
    .execute();
  for (const { id } of used) await remove(transaction, id, now);
}

/** Forgets what nobody has come back for within a day. */
export async function forgetUploads(parts: UploadParts): Promise<number> {
  const { clock, database } = parts;
  for (let count = 0; ; ) {
    const old = await database.query
      .selectFrom('upload')
      .select('id')
      .where('createdAt', '<', clock.now() - keptMs)
      .limit(1000)
      .execute();
    if (old.length === 0) return count;
    for (const { id } of old) await deleteUpload(parts, id);
    count += old.length;
  }
}

async function remove(transaction: Queries, id: string, now: number): Promise<void> {
  await transaction.deleteFrom('upload').where('id', '=', id).execute();
  await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
  await giveUp(transaction, ownerOf(id), now);
}
