import { recordPut } from '../blob-owners/blob-access.ts';
import type { BlobReference, Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';

/** Stores bytes as if this user had uploaded them, ignoring limits. */
export async function putFor(
  { blobs, clock, database }: { blobs: Blobs; clock: Clock; database: Database },
  owner: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<BlobReference> {
  const stored = await blobs.put(content);
  await database.transaction((transaction) => recordPut(transaction, stored, owner, clock.now()));
  return stored;
}
