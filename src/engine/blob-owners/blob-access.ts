import type { BlobReference } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';
import type { Role } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { ownersOf } from './owners-of.ts';

/** Whether a thing of this user in a house contains the blob, so that the user may name it by its hash. */
export interface HouseWithBlobs {
  mayUseBlob?(queries: Queries, user: string, hash: string): Promise<boolean>;
}

/**
 * Blobs are named by their hash, and a hash is not secret. Only the uploader, the owner of a request that contains the
 * blob, or the owner of a thing in a house that contains it may name it. Uploads are remembered for as long as unowned
 * blobs are kept. Call this in a transaction.
 */
export async function recordPut(
  transaction: Queries,
  { hash, size }: BlobReference,
  owner: string,
  at: number,
): Promise<void> {
  // An earlier uploader may have given up the same blob. The day for which it is kept restarts.
  await transaction.deleteFrom('blobOrphan').where('hash', '=', hash).execute();
  await transaction
    .insertInto('blobPut')
    .values({ hash, owner, at, size })
    .onConflict((conflict) => conflict.columns(['hash', 'owner']).doUpdateSet({ at, size }))
    .execute();
}

/** The blobs are in use now: they no longer count against the uploader's limit on unused ones. */
export async function putsAreUsed(queries: Queries, hashes: readonly string[], owner: string): Promise<void> {
  if (hashes.length === 0) return;
  await queries
    .updateTable('blobPut')
    .set({ size: 0 })
    .where('hash', 'in', hashes)
    .where('owner', '=', owner)
    .execute();
}

/** Throws `blob-missing` unless the user may use the blob. Other users' blobs look as if they don't exist. */
export async function checkMayUse(
  { houses }: { houses: readonly HouseWithBlobs[] },
  queries: Queries,
  user: { name: string; role?: Role | undefined },
  hash: string,
): Promise<void> {
  if (user.role === 'admin') return;
  if (await hasPut(queries, user.name, hash)) return;
  if (await isInRequest(queries, user.name, hash)) return;
  for (const house of houses) if (await house.mayUseBlob?.(queries, user.name, hash)) return;
  throw new PismakError('blob-missing', `you have no blob ${hash}; upload it first`);
}

/** Whether any user uploaded this blob recently and may still use it. */
export async function hasBeenPut(queries: Queries, hash: string): Promise<boolean> {
  const row = await queries
    .selectFrom('blobPut')
    .select('at')
    .where('hash', '=', hash)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of these blobs, those that any user has uploaded since then and that nothing uses yet. */
export async function putAndUnused(
  queries: Queries,
  hashes: readonly string[],
  since: number,
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('blobPut')
    .select('hash')
    .where('hash', 'in', hashes)
    .where('size', '>', 0)
    .where('at', '>=', since)
    .execute();
  return new Set(rows.map((row) => row.hash));
}

/** Forgets the uploads of a deleted blob. */
export async function forgetPutsOf(queries: Queries, hash: string): Promise<void> {
  await queries.deleteFrom('blobPut').where('hash', '=', hash).execute();
}

export async function forgetPuts(queries: Queries, before: number): Promise<void> {
  await queries.deleteFrom('blobPut').where('at', '<', before).execute();
}

async function hasPut(queries: Queries, owner: string, hash: string): Promise<boolean> {
  const row = await queries
    .selectFrom('blobPut')
    .select('at')
    .where('hash', '=', hash)
    .where('owner', '=', owner)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a request of this user owns it: owners `request:NAME:UUID`, see `requestOwner`. */
async function isInRequest(queries: Queries, name: string, hash: string): Promise<boolean> {
  const found = await ownersOf(queries, hash, `request:${name}:`).limit(1).executeTakeFirst();
  return found !== undefined;
}
