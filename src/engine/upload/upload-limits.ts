import { sql } from 'kysely';
import { orphanKeptMs } from '../blob-owners/blob-owners.ts';
import type { SizeLimit } from '../blobs/bounded.ts';
import type { Queries } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * Limits a user's unused uploads, so that no user fills the disk. Counted per user, not per key:
 * users create keys themselves.
 */
export const mostParts = 10_000;

type LimitingUploads = Pick<Ports, 'clock' | 'settings'>;

/** A finished upload counts as at least 1 MB: files cost more than their bytes, and their number must be bounded too. */
const leastBytes = 2 ** 20;

/** The size that a finished upload of this size counts as. */
export function countedSize(size: number): number {
  return Math.max(size, leastBytes);
}

/** Throws `quota-exceeded` when the user has too many unfinished uploads. */
export async function checkOpenUploads(
  { settings }: Pick<LimitingUploads, 'settings'>,
  queries: Queries,
  owner: string,
): Promise<void> {
  const most = settings.upload.open;
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
    `you have ${open} uploads under way; the limit is ${most} (setting upload.open). Finish or delete some (\`pismak upload ls\` lists them), or wait: uploads expire after a day`,
    { details: { limit: most, open } },
  );
}

/** The number of bytes that an upload at `offset` may still take, and the error for more. */
export async function roomFor(
  { clock, settings }: LimitingUploads,
  queries: Queries,
  owner: string,
  offset = 0,
): Promise<SizeLimit> {
  const { limitMb, unusedMb } = settings.upload;
  const inUpload = megabytes(limitMb) - offset;
  const unused = unusedMb === 0 ? 0 : await unusedBytes(queries, owner, clock.now() - orphanKeptMs);
  const ofUser = unusedMb === 0 ? Number.POSITIVE_INFINITY : megabytes(unusedMb) - unused;
  if (inUpload <= ofUser) {
    const text = `the upload is larger than ${limitMb} MB (setting upload.limitMb)`;
    return { bytes: inUpload, exceeded: () => new PismakError('too-large', text) };
  }
  const text = `no room for this upload: your uploads that nothing uses yet take ${unused} bytes (each counts as at least 1 MB); the limit is ${unusedMb} MB (setting upload.unusedMb). Use them, delete some (\`pismak upload ls\` lists them), or wait: unused uploads expire after a day`;
  const details = { limitMb: unusedMb, unused };
  return { bytes: ofUser, exceeded: () => new PismakError('quota-exceeded', text, { details }) };
}

/** The total size of finished uploads that nothing uses, and of the parts of unfinished ones. */
async function unusedBytes(queries: Queries, owner: string, since: number): Promise<number> {
  const least = sql.lit(leastBytes);
  const finished = await queries
    .selectFrom('blobPut')
    .select(sql`SUM(CASE WHEN "size" < ${least} THEN ${least} ELSE "size" END)`.as('size'))
    .where('owner', '=', owner)
    .where('at', '>=', since)
    // A literal, not a parameter: only then is the partial index used.
    .where('size', '>', sql.lit(0))
    .executeTakeFirst();
  const arriving = await queries
    .selectFrom('upload')
    .innerJoin('uploadPart', 'uploadPart.upload', 'upload.id')
    .select(({ fn }) => fn.sum('uploadPart.size').as('size'))
    .where('upload.owner', '=', owner)
    .where('upload.state', 'in', ['open', 'closed'])
    .executeTakeFirst();
  return Number(finished?.size ?? 0) + Number(arriving?.size ?? 0);
}

function megabytes(count: number): number {
  return count * 2 ** 20;
}
