import type { Selectable } from 'kysely';
import { giveUpRefused } from '../blob-owners/blob-erasure.ts';
import { own } from '../blob-owners/blob-owners.ts';
import { bounded } from '../blobs/bounded.ts';
import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import { checkOpenUploads, mostParts, roomFor } from './upload-limits.ts';

/**
 * Uploads in parts. A part is durable once it is answered; a broken connection loses only the current part, and
 * `offset` says where to continue. Any process of the installation can take the next part.
 *
 * An upload is *open* while it takes parts, *closed* while its parts are being joined (`finish-upload.ts`, which any process may
 * repeat), and *finished* when it is a blob. It is gone when its owner drops it, when something uses the blob, or a day after its
 * last use. An upload in one piece (`put-blob.ts`) is finished at once. A sender that announces the hash of the whole content continues
 * an earlier upload of it, even in another process, and sends nothing that it may name already (`resume-upload.ts`).
 */
export type Uploading = Pick<Ports, 'blobs' | 'clock' | 'database' | 'disk' | 'settings'>;

/** `expectedHash`: what the sender announced. The upload is then refused if other bytes have arrived. */
export async function startUpload(
  parts: Uploading,
  owner: string,
  expectedHash: string | null = null,
): Promise<string> {
  const { clock, database } = parts;
  const id = newId(clock);
  await database.transaction(async (transaction) => {
    await checkOpenUploads(parts, transaction, owner);
    await transaction
      .insertInto('upload')
      .values({ id, owner, createdAt: clock.now(), expectedHash })
      .execute();
  });
  return id;
}

export async function findUpload(
  queries: Queries,
  id: string,
): Promise<Selectable<EngineTables['upload']> | undefined> {
  return queries.selectFrom('upload').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function uploadOwner({ database }: Uploading, id: string): Promise<string | undefined> {
  return (await findUpload(database.query, id))?.owner;
}

/** How many bytes have arrived. */
export async function uploadOffset(queries: Queries, id: string): Promise<number> {
  const upload = await findUpload(queries, id);
  return upload?.state === 'finished' ? upload.size : (await arrived(queries, id)).offset;
}

/** The unused uploads of one user, newest first. */
export async function listUploads(
  queries: Queries,
  owner: string,
  { offset, limit }: { offset: number; limit: number },
) {
  const rows = await queries
    .selectFrom('upload')
    .select(['upload.id', 'upload.state', 'upload.createdAt', 'upload.size'])
    .select(({ selectFrom }) =>
      selectFrom('uploadPart')
        .select(({ fn }) => fn.sum('uploadPart.size').as('arrived'))
        .whereRef('uploadPart.upload', '=', 'upload.id')
        .as('arrived'),
    )
    .where('upload.owner', '=', owner)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('upload.state', '<>', 'finished'),
        exists(
          selectFrom('blobPut')
            .select('blobPut.at')
            .whereRef('blobPut.hash', '=', 'upload.hash')
            .whereRef('blobPut.owner', '=', 'upload.owner')
            .where('blobPut.size', '>', 0),
        ),
      ]),
    )
    .orderBy('upload.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();
  return rows.map(({ id, state, createdAt, size, arrived }) => {
    return { upload: id, state, offset: state === 'finished' ? size : Number(arrived ?? 0), createdAt };
  });
}

/** Stores the next part. A part that has already arrived is not stored twice. Resolves to the new offset. */
export async function addPart(
  parts: Uploading,
  id: string,
  offset: number,
  content: AsyncIterable<Uint8Array>,
  announced = 0,
): Promise<number> {
  const { blobs, clock, database, disk } = parts;
  // Checked before the bytes are read, and again when they are stored: another call may have been faster.
  const { owner } = await checkNext(database.query, id, offset);
  const room = await roomFor(parts, database.query, owner, offset);
  const { hash, size } = await blobs.put(
    disk.bounded(bounded(content, room.bytes, room.exceeded), announced),
  );
  if (size === 0) return offset;
  try {
    await database.transaction(async (transaction) => {
      // Write, don't just read, so that a part and the finish of its upload always see each other.
      await transaction
        .updateTable('upload')
        .set({ state: 'open' })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .execute();
      await checkNext(transaction, id, offset);
      const left = await roomFor(parts, transaction, owner, offset);
      if (size > left.bytes) throw left.exceeded();
      await transaction.insertInto('uploadPart').values({ upload: id, offset, size, hash }).execute();
      await own(transaction, hash, ownerOf(id), clock.now());
    });
  } catch (error) {
    const refused = (['conflict', 'not-found', 'quota-exceeded', 'too-large'] as const).some((code) =>
      hasCode(error, code),
    );
    if (refused) await giveUpRefused(parts, hash);
    throw error;
  }
  return offset + size;
}

export function ownerOf(id: string): string {
  return `upload:${id}`;
}

export function noUpload(): PismakError {
  return new PismakError('not-found', 'this upload no longer exists; start another one');
}

async function arrived(queries: Queries, id: string): Promise<{ offset: number; count: number }> {
  const row = await queries
    .selectFrom('uploadPart')
    .select(({ fn }) => [fn.sum<number>('size').as('size'), fn.countAll<number>().as('count')])
    .where('upload', '=', id)
    .executeTakeFirst();
  return { offset: Number(row?.size ?? 0), count: Number(row?.count ?? 0) };
}

/** Whether a part may start at this offset. */
async function checkNext(queries: Queries, id: string, offset: number): Promise<{ owner: string }> {
  const upload = await findUpload(queries, id);
  if (!upload) throw noUpload();
  if (upload.state !== 'open')
    throw new PismakError('conflict', 'this upload is finished and takes no more parts; start another one');
  const { offset: expected, count } = await arrived(queries, id);
  if (expected !== offset)
    throw new PismakError('conflict', `${expected} bytes have arrived; continue from there`, {
      details: { offset: expected },
    });
  if (count >= mostParts)
    throw new PismakError('too-large', `an upload has at most ${mostParts} parts; send larger ones`);
  return upload;
}
