import type { Room } from '../../engine/blobs/bounded.ts';
import type { Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/errors.ts';
import type { Parts } from './document.ts';

/**
 * What uploads may take, so that nobody fills the disk with them. Counted per user, not per key: users make keys
 * themselves.
 */
export const mostParts = 10_000;

type Settings = Pick<Parts, 'settings'>;

/** `quota-exceeded` when the user has too many uploads under way. */
export async function checkOpenUploads(
  { settings }: Settings,
  queries: Queries,
  owner: string,
): Promise<void> {
  const most = settings.transcription.openUploads;
  if (most === 0) return;
  const row = await queries
    .selectFrom('upload')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .where('state', 'in', ['open', 'closed'])
    .executeTakeFirst();
  const open = Number(row?.count ?? 0);
  if (open < most) return;
  throw new PismakError(
    'quota-exceeded',
    `you have ${open} uploads under way, and ${most} may be; finish or delete some (\`pismak upload ls\` lists them), or wait: they are forgotten after a day`,
    { details: { openUploads: most, open } },
  );
}

/** How large a part at this offset may be, and what to say to a larger one. */
export async function roomFor(
  { settings }: Settings,
  queries: Queries,
  owner: string,
  offset: number,
): Promise<Room> {
  const { uploadLimitMb, unusedUploadsMb } = settings.transcription;
  const inUpload = megabytes(uploadLimitMb) - offset;
  const unused = await unusedBytes(queries, owner);
  const ofUser = unusedUploadsMb === 0 ? Number.POSITIVE_INFINITY : megabytes(unusedUploadsMb) - unused;
  if (inUpload <= ofUser) {
    const text = `the upload is larger than ${uploadLimitMb} MB (setting transcription.uploadLimitMb)`;
    return { bytes: inUpload, exceeded: () => new PismakError('too-large', text) };
  }
  const text = `your uploads that no document has yet take ${unused} bytes, and ${unusedUploadsMb} MB may be (setting transcription.unusedUploadsMb); add them to documents or delete them (\`pismak upload ls\` lists them), or wait: they are forgotten after a day`;
  const details = { unusedUploadsMb, unused };
  return { bytes: ofUser, exceeded: () => new PismakError('quota-exceeded', text, { details }) };
}

async function unusedBytes(queries: Queries, owner: string): Promise<number> {
  const row = await queries
    .selectFrom('upload')
    .innerJoin('uploadPart', 'uploadPart.upload', 'upload.id')
    .select(({ fn }) => fn.sum<number>('uploadPart.size').as('size'))
    .where('upload.owner', '=', owner)
    .executeTakeFirst();
  return Number(row?.size ?? 0);
}

function megabytes(count: number): number {
  return count * 2 ** 20;
}
