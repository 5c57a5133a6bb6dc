import { giveUp, giveUpRefused } from '../blob-owners/blob-erasure.ts';
import type { BlobReference } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import { deleteUpload } from './drop-uploads.ts';
import { recordUpload } from './record-upload.ts';
import { findUpload, noUpload, ownerOf, type Uploading } from './uploads.ts';

/** The uploads of one engine whose parts are being joined, by id. */
export type FinishingUploads = Map<string, Promise<BlobReference>>;

/**
 * Joins the parts. The owner has a day to use the blob. Safe to repeat: a second call while the parts are being joined waits for
 * the first, instead of storing another copy. If the bytes are not those that were announced, the upload is refused and deleted.
 */
export function finishUpload(
  parts: Uploading & { finishingUploads: FinishingUploads },
  id: string,
): Promise<BlobReference> {
  const { finishingUploads } = parts;
  const known = finishingUploads.get(id);
  if (known) return known;
  const finishing = finish(parts, id).finally(() => finishingUploads.delete(id));
  finishingUploads.set(id, finishing);
  return finishing;
}

async function finish(parts: Uploading, id: string): Promise<BlobReference> {
  const { blobs, clock, database } = parts;
  const finished = await database.transaction((transaction) => close(transaction, id));
  if (finished) return finished;
  const rows = await partsOf(database.query, id);
  const [only] = rows;
  if (!only) throw noUpload();
  // The parts stay until the whole content is stored.
  parts.disk.check(rows.length === 1 ? 0 : rows.reduce((sum, row) => sum + row.size, 0));
  const { hash, size } = rows.length === 1 ? only : await blobs.put(joined());
  const expected = (await findUpload(database.query, id))?.expectedHash ?? hash;
  if (hash !== expected) {
    await deleteUpload(parts, id);
    await giveUpRefused(parts, hash);
    throw new PismakError(
      'conflict',
      `the bytes that arrived have the SHA-256 ${hash}, not ${expected} as announced; the file changed meanwhile, or its bytes were damaged. The upload is deleted; start another one`,
    );
  }
  await database.transaction(async (transaction) => {
    const upload = await findUpload(transaction, id);
    if (!upload) throw noUpload();
    const now = clock.now();
    await giveUp(transaction, ownerOf(id), now);
    await recordUpload(transaction, { id, owner: upload.owner, hash, size }, now);
    await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
  });
  return { hash, size };

  async function* joined() {
    for (const row of rows) yield* blobs.get(row.hash);
  }
}

/** Closes the upload to more parts, so that the next read sees all of them. Resolves to the blob if it is already finished. */
async function close(transaction: Queries, id: string): Promise<BlobReference | undefined> {
  const upload = await findUpload(transaction, id);
  if (!upload) throw noUpload();
  if (upload.state === 'finished' && upload.hash !== null) return { hash: upload.hash, size: upload.size };
  if (upload.state !== 'open') return undefined;
  if ((await partsOf(transaction, id)).length === 0)
    throw new PismakError('invalid-input', 'nothing has been uploaded yet');
  await transaction.updateTable('upload').set({ state: 'closed' }).where('id', '=', id).execute();
  return undefined;
}

function partsOf(queries: Queries, id: string) {
  return queries.selectFrom('uploadPart').selectAll().where('upload', '=', id).orderBy('offset').execute();
}
