import { checkMayUse, type HouseWithBlobs } from '../blob-owners/blob-access.ts';
import type { Queries } from '../database/database.ts';
import type { Caller } from '../ground/caller.ts';
import { hasCode } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { recordUpload } from './record-upload.ts';
import { countedSize, roomFor } from './upload-limits.ts';
import { startUpload, type Uploading, uploadOffset } from './uploads.ts';

type Resuming = Uploading & { houses: readonly HouseWithBlobs[] };

/**
 * Starts an upload of content with a known hash, or continues what is there already: an unfinished upload of the same user, or a
 * blob that the user may name. Of such a blob nothing has to be sent. Resolves to how many bytes are there.
 */
export async function resumeUpload(
  parts: Resuming,
  caller: Pick<Caller, 'name' | 'role'>,
  hash: string,
): Promise<{ upload: string; offset: number }> {
  const { database } = parts;
  const earlier = await unfinished(database.query, caller.name, hash);
  if (earlier !== undefined) return { upload: earlier, offset: await uploadOffset(database.query, earlier) };
  return (
    (await takeStored(parts, caller, hash)) ?? {
      upload: await startUpload(parts, caller.name, hash),
      offset: 0,
    }
  );
}

async function unfinished(queries: Queries, owner: string, hash: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('upload')
    .select('id')
    .where('owner', '=', owner)
    .where('state', 'in', ['open', 'closed'])
    .where('expectedHash', '=', hash)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** A finished upload of a blob that is stored already; undefined if there is none that the user may name. */
async function takeStored(
  parts: Resuming,
  caller: Pick<Caller, 'name' | 'role'>,
  hash: string,
): Promise<{ upload: string; offset: number } | undefined> {
  const { blobs, clock, database } = parts;
  try {
    return await database.transaction(async (transaction) => {
      await checkMayUse(parts, transaction, caller, hash);
      // First, as in `own`: a sweep of this blob either loses the row to us, or has removed the blob before we look for it.
      await transaction.deleteFrom('blobOrphan').where('hash', '=', hash).execute();
      const size = await blobs.size(hash);
      const left = await roomFor(parts, transaction, caller.name);
      if (countedSize(size) > left.bytes) throw left.exceeded();
      const row = { id: newId(clock), owner: caller.name, createdAt: clock.now() };
      await transaction.insertInto('upload').values(row).execute();
      await recordUpload(transaction, { ...row, hash, size }, row.createdAt);
      return { upload: row.id, offset: size };
    });
  } catch (error) {
    if (hasCode(error, 'blob-missing')) return undefined;
    throw error;
  }
}
