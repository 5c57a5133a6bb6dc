import type { Blobs } from '../blobs/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import { chunks } from '../ground/chunks.ts';
import type { Clock } from '../time/clock.ts';
import { forgetPuts, forgetPutsOf } from './blob-access.ts';

/** How long a blob stays without an owner: after its last owner leaves, or before its first one comes. */
export const orphanKeptMs = 24 * 60 * 60 * 1000;

/** Records that `owner` needs the blob. Call it within a day of the put. Safe to repeat. */
export async function own(queries: Queries, hash: string, owner: string, at: number): Promise<void> {
  // This comes first: a sweep of this blob either loses the row to us or finishes before us.
  await queries.deleteFrom('blobOrphan').where('hash', '=', hash).execute();
  await queries
    .insertInto('blobRef')
    .values({ hash, owner, createdAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The same for many blobs at once. */
export async function ownAll(
  queries: Queries,
  hashes: readonly string[],
  owner: string,
  at: number,
): Promise<void> {
  for (const some of chunks([...new Set(hashes)], 500)) {
    await queries.deleteFrom('blobOrphan').where('hash', 'in', some).execute();
    await queries
      .insertInto('blobRef')
      .values(some.map((hash) => ({ hash, owner, createdAt: at })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Gives up all blobs of the owner. */
export async function disown(queries: Queries, owner: string): Promise<void> {
  await queries.deleteFrom('blobRef').where('owner', '=', owner).execute();
}

/** Gives up this blob of the owner. */
export async function disownOne(queries: Queries, hash: string, owner: string): Promise<void> {
  await queries.deleteFrom('blobRef').where('hash', '=', hash).where('owner', '=', owner).execute();
}

export interface Sweep {
  seen: number;
  orphans: number;
  deleted: number;
  deletedBytes: number;
}

/** Deletes blobs that have had no owner for a day. Of several concurrent sweeps, only one deletes each blob. */
export async function sweepBlobs(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  signal?: AbortSignal;
}): Promise<Sweep> {
  const sweep: Sweep = { seen: 0, orphans: 0, deleted: 0, deletedBytes: 0 };
  let batch: StoredBlob[] = [];
  for await (const blob of parts.blobs.list()) {
    if (parts.signal?.aborted) return sweep;
    if (batch.push(blob) < 200) continue;
    await sweepBatch(parts, batch, sweep);
    batch = [];
  }
  if (batch.length > 0) await sweepBatch(parts, batch, sweep);
  await forgetPuts(parts.database.query, parts.clock.now() - orphanKeptMs);
  return sweep;
}

type StoredBlob = { hash: string; size: number };

async function sweepBatch(
  { database, blobs, clock }: { database: Database; blobs: Blobs; clock: Clock },
  batch: StoredBlob[],
  sweep: Sweep,
): Promise<void> {
  const now = clock.now();
  const before = now - orphanKeptMs;
  const hashes = batch.map((blob) => blob.hash);
  await database.transaction(async (transaction) => {
    // Remove them from the table first, see `own`.
    const due = await transaction
      .deleteFrom('blobOrphan')
      .where('hash', 'in', hashes)
      .where('since', '<=', before)
      .returning('hash')
      .execute();
    const isDue = new Set(due.map((row) => row.hash));
    const owned = await transaction
      .selectFrom('blobRef')
      .select('hash')
      .where('hash', 'in', hashes)
      .execute();
    const isOwned = new Set(owned.map((row) => row.hash));

    for (const blob of batch) {
      sweep.seen++;
      if (isOwned.has(blob.hash)) continue;
      sweep.orphans++;
      // A blob that was put again recently stays: its new owner is on the way.
      if (isDue.has(blob.hash) && (await blobs.remove(blob.hash, { storedBefore: before }))) {
        sweep.deleted++;
        sweep.deletedBytes += blob.size;
        await forgetPutsOf(transaction, blob.hash);
        continue;
      }
      await transaction
        .insertInto('blobOrphan')
        .values({ hash: blob.hash, since: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    if (isOwned.size > 0)
      await transaction
        .deleteFrom('blobOrphan')
        .where('hash', 'in', [...isOwned])
        .execute();
  });
}
