import { giveUp, giveUpUnowned } from '../blob-owners/blob-erasure.ts';
import type { Queries } from '../database/database.ts';
import { findUpload, ownerOf, type Uploading } from './uploads.ts';

/** How long an upload waits for its parts, and then for something that uses it. */
export const keptMs = 24 * 60 * 60 * 1000;

export async function deleteUpload({ clock, database }: Uploading, id: string): Promise<void> {
  await database.transaction((transaction) => remove(transaction, id, clock.now()));
}

/** Deletes the uploads that nothing has used within a day. */
export async function forgetUploads(parts: Uploading, signal?: AbortSignal): Promise<number> {
  const { clock, database } = parts;
  for (let count = 0; ; ) {
    const old = await database.query
      .selectFrom('upload')
      .select('id')
      .where('createdAt', '<', clock.now() - keptMs)
      .limit(1000)
      .execute();
    if (old.length === 0) return count;
    for (const { id } of old) {
      signal?.throwIfAborted();
      await deleteUpload(parts, id);
    }
    count += old.length;
  }
}

async function remove(transaction: Queries, id: string, now: number): Promise<void> {
  const upload = await findUpload(transaction, id);
  if (!upload) return;
  await transaction.deleteFrom('upload').where('id', '=', id).execute();
  await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
  await giveUp(transaction, ownerOf(id), now);
  const { owner, hash, createdAt } = upload;
  if (hash === null) return;
  // Bytes in use stay, and so do bytes that the owner has uploaded again since.
  const unused = await transaction
    .deleteFrom('blobPut')
    .where('hash', '=', hash)
    .where('owner', '=', owner)
    .where('size', '>', 0)
    .where('at', '<=', createdAt)
    .returning('hash')
    .executeTakeFirst();
  if (unused) await giveUpUnowned(transaction, [hash], now);
}
