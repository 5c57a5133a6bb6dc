import { giveUpRefused } from '../blob-owners/blob-erasure.ts';
import type { BlobReference } from '../blobs/blobs.ts';
import { bounded } from '../blobs/bounded.ts';
import { hasCode } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import { recordUpload } from './record-upload.ts';
import { countedSize, roomFor } from './upload-limits.ts';

/**
 * An upload in one piece: stores the bytes if there is room; refused bytes are deleted at once. `announced` is the size
 * that the caller states in advance, if any: then a body that is too large is refused unread.
 */
export async function putBlob(
  parts: Pick<Ports, 'blobs' | 'clock' | 'database' | 'disk' | 'settings'>,
  owner: string,
  content: AsyncIterable<Uint8Array>,
  announced = 0,
): Promise<BlobReference> {
  const { blobs, clock, database, disk } = parts;
  const room = await roomFor(parts, database.query, owner);
  if (countedSize(announced) > room.bytes) throw room.exceeded();
  const stored = await blobs.put(disk.bounded(bounded(content, room.bytes, room.exceeded), announced));
  try {
    await database.transaction(async (transaction) => {
      // Check again: other uploads may have been faster. Transactions are serialised, so together they stay within the limit.
      const left = await roomFor(parts, transaction, owner);
      if (countedSize(stored.size) > left.bytes) throw left.exceeded();
      const now = clock.now();
      const row = { id: newId(clock), owner, createdAt: now };
      await transaction.insertInto('upload').values(row).execute();
      await recordUpload(transaction, { ...row, ...stored }, now);
    });
  } catch (error) {
    if (hasCode(error, 'quota-exceeded') || hasCode(error, 'too-large'))
      await giveUpRefused(parts, stored.hash);
    throw error;
  }
  return stored;
}
