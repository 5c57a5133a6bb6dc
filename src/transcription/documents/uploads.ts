import { giveUp } from '../../engine/blob-erasure.ts';
import { own } from '../../engine/blob-owners.ts';
import type { BlobReference } from '../../engine/blobs/blobs.ts';
import type { Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/errors.ts';
import { newId } from '../../engine/identity.ts';
import type { Parts } from './document.ts';

/**
 * Bytes that arrive in parts. Each part is durable when it was answered; a broken connection costs the part that was
 * under way, and `offset` says where to go on. Whatever process is asked knows it.
 */
export const keptMs = 24 * 60 * 60 * 1000;

type UploadParts = Pick<Parts, 'blobs' | 'clock' | 'database' | 'settings'>;

export async function startUpload({ clock, database }: UploadParts, owner: string): Promise<string> {
  const id = newId(clock);
  await database.query.insertInto('upload').values({ id, owner, createdAt: clock.now() }).execute();
  return id;
}

export async function uploadOwner({ database }: UploadParts, id: string): Promise<string | undefined> {
  const row = await database.query
    .selectFrom('upload')
    .select('owner')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.owner;
}

/** How many bytes have arrived. */
export async function uploadOffset(queries: Queries, id: string): Promise<number> {
  const row = await queries
    .selectFrom('uploadPart')
    .select(({ fn }) => fn.sum<number>('size').as('size'))
    .where('upload', '=', id)
    .executeTakeFirst();
  return Number(row?.size ?? 0);
}

/** Stores the next part. A part that has arrived before is not taken twice. Resolves to the new offset. */
export async function addPart(
  parts: UploadParts,
  id: string,
  offset: number,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { blobs, clock, database, settings } = parts;
  await checkOffset(database.query, id, offset);
  const { hash, size } = await blobs.put(content);
  const limit = settings.transcription.uploadLimitMb * 2 ** 20;
  if (offset + size > limit) {
    throw new PismakError(
      'too-large',
      `the upload is larger than ${settings.transcription.uploadLimitMb} MB (setting transcription.uploadLimitMb)`,
    );
  }
  await database.transaction(async (transaction) => {
    await checkOffset(transaction, id, offset);
    if (size > 0)
      await transaction.insertInto('uploadPart').values({ upload: id, offset, size, hash }).execute();
    await own(transaction, hash, ownerOf(id), clock.now());
  });
  return offset + size;
}

/** Puts the parts together. The blob stays for a day, to be added to a document. Safe to repeat. */
export async function finishUpload(parts: UploadParts, id: string): Promise<BlobReference> {
  const { blobs, clock, database } = parts;
  const rows = await database.query
    .selectFrom('uploadPart')
    .selectAll()
    .where('upload', '=', id)
    .orderBy('offset')
    .execute();
  const [only] = rows;
  if (!only) throw new PismakError('invalid-input', 'nothing has been uploaded yet');
  const whole = rows.length === 1 ? only : await blobs.put(joined());
  await database.transaction(async (transaction) => {
    await own(transaction, whole.hash, ownerOf(id), clock.now());
    await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
    const values = { upload: id, offset: 0, size: whole.size, hash: whole.hash };
    await transaction.insertInto('uploadPart').values(values).execute();
  });
  return { hash: whole.hash, size: whole.size };

  async function* joined() {
    for (const row of rows) yield* blobs.get(row.hash);
  }
}

/** Forgets what nobody has come back for within a day. */
export async function forgetUploads({ clock, database }: UploadParts): Promise<number> {
  const old = await database.query
    .selectFrom('upload')
    .select('id')
    .where('createdAt', '<', clock.now() - keptMs)
    .limit(1000)
    .execute();
  for (const { id } of old) {
    await database.transaction(async (transaction) => {
      await transaction.deleteFrom('uploadPart').where('upload', '=', id).execute();
      await transaction.deleteFrom('upload').where('id', '=', id).execute();
      await giveUp(transaction, ownerOf(id), clock.now());
    });
  }
  return old.length;
}

async function checkOffset(queries: Queries, id: string, offset: number): Promise<void> {
  const arrived = await uploadOffset(queries, id);
  if (arrived === offset) return;
  throw new PismakError('conflict', `${arrived} bytes have arrived; go on from there`, {
    details: { offset: arrived },
  });
}

function ownerOf(id: string): string {
  return `upload:${id}`;
}
