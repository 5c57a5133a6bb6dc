import type { BlobReference } from '../../engine/blobs/blobs.ts';
import { recordPut } from '../../engine/blobs/owners/blob-access.ts';
import { giveUp } from '../../engine/blobs/owners/blob-erasure.ts';
import { own } from '../../engine/blobs/owners/blob-owners.ts';
import type { Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/errors.ts';
import { findUpload, noUpload, ownerOf, type UploadParts } from './uploads.ts';

/** Who asks again while the parts are put together waits for that, and doesn't fill the disk with another copy. */
const underWay = new Map<string, Promise<BlobReference>>();

/** Puts the parts together. The blob stays for a day, to be added to a document. Safe to repeat. */
export function finishUpload(parts: UploadParts, id: string): Promise<BlobReference> {
  const known = underWay.get(id);
  if (known) return known;
  const finishing = finish(parts, id).finally(() => underWay.delete(id));
  underWay.set(id, finishing);
  return finishing;
}

async function finish(parts: UploadParts, id: string): Promise<BlobReference> {
  const { blobs, clock, database } = parts;
  await database.transaction((transaction) => close(transaction, id));
  const rows = await partsOf(database.query, id);
  const [only] = rows;
  if (!only) throw noUpload();
  const { hash, size } = rows.length === 1 ? only : await blobs.put(joined());
  await database.transaction(async (transaction) => {
    const now = clock.now();
    const finished = await transaction
      .updateTable('upload')
      // The day that it is kept begins now.
      .set({ state: 'finished', createdAt: now })
      .where('id', '=', id)
      .returning('owner')
      .executeTakeFirst();
    if (!finished) throw noUpload();
    await giveUp(transaction, ownerOf(id), now);
    await own(transaction, hash, ownerOf(id), now);
    // With no size: it counts as an upload.
    await recordPut(transaction, { hash, size: 0 }, finished.owner, now);
    await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
    await transaction.insertInto('uploadPart').values({ upload: id, offset: 0, size, hash }).execute();
  });
  return { hash, size };

  async function* joined() {
    for (const row of rows) yield* blobs.get(row.hash);
  }
}

/** From now on no part is taken, so that what is read next is all of it. */
async function close(transaction: Queries, id: string): Promise<void> {
  const upload = await findUpload(transaction, id);
  if (!upload) throw noUpload();
  if (upload.state !== 'open') return;
  if ((await partsOf(transaction, id)).length === 0)
    throw new PismakError('invalid-input', 'nothing has been uploaded yet');
  await transaction.updateTable('upload').set({ state: 'closed' }).where('id', '=', id).execute();
}

function partsOf(queries: Queries, id: string) {
  return queries.selectFrom('uploadPart').selectAll().where('upload', '=', id).orderBy('offset').execute();
}
