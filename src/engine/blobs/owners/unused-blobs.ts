import { sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { Engine } from '../../engine.ts';
import { hasCode, PismakError } from '../../errors.ts';
import type { BlobReference } from '../blobs.ts';
import { bounded, type Room } from '../bounded.ts';
import { recordPut } from './blob-access.ts';
import { giveUpRefused } from './blob-erasure.ts';
import { orphanKeptMs } from './blob-owners.ts';

/**
 * Bytes that a user has put and that no document, request or stage has yet lie about for a day: so that nobody fills
 * the disk with them, they are limited. Counted per user, not per key: users make keys themselves.
 */
type Parts = Pick<Engine, 'blobs' | 'clock' | 'database' | 'settings'>;

/** What is smaller counts as so much: files cost more than their bytes, and there are only so many to count. */
const leastBytes = 2 ** 20;

/**
 * Stores bytes if there is room for them; what is refused goes. `announced` is the size that the caller speaks of
 * beforehand, if any: too many bytes are then refused unread.
 */
export async function putWithinRoom(
  parts: Parts,
  owner: string,
  content: AsyncIterable<Uint8Array>,
  announced = 0,
): Promise<BlobReference> {
  const { blobs, clock, database } = parts;
  const room = await roomFor(parts, database.query, owner);
  if (counted(announced) > room.bytes) throw room.exceeded();
  const stored = await blobs.put(bounded(content, room.bytes, room.exceeded));
  try {
    await database.transaction(async (transaction) => {
      // Looked at again: others may have been faster. Transactions don't miss each other, so together they stay within.
      const left = await roomFor(parts, transaction, owner);
      if (counted(stored.size) > left.bytes) throw left.exceeded();
      await recordPut(transaction, stored, owner, clock.now());
    });
  } catch (error) {
    if (hasCode(error, 'quota-exceeded')) await giveUpRefused(parts, stored.hash);
    throw error;
  }
  return stored;
}

function counted(size: number): number {
  return Math.max(size, leastBytes);
}

async function roomFor({ clock, settings }: Parts, queries: Queries, owner: string): Promise<Room> {
  const { unusedBlobsMb } = settings.http;
  const most = unusedBlobsMb === 0 ? Number.POSITIVE_INFINITY : unusedBlobsMb * 2 ** 20;
  const unused = unusedBlobsMb === 0 ? 0 : await unusedBytes(queries, owner, clock.now() - orphanKeptMs);
  const text = `there is no room for these bytes: yours that nothing uses yet take ${unused} already (each upload counts as at least 1 MB), and ${unusedBlobsMb} MB may be (setting http.unusedBlobsMb); add them to documents or submit requests with them, or wait: they are forgotten after a day`;
  const details = { unusedBlobsMb, unused };
  return { bytes: most - unused, exceeded: () => new PismakError('quota-exceeded', text, { details }) };
}

async function unusedBytes(queries: Queries, owner: string, since: number): Promise<number> {
  const least = sql.lit(leastBytes);
  const row = await queries
    .selectFrom('blobPut')
    .select(sql`SUM(CASE WHEN "size" < ${least} THEN ${least} ELSE "size" END)`.as('size'))
    .where('owner', '=', owner)
    .where('at', '>=', since)
    // Written out, not a parameter, so that the index of just these is used.
    .where('size', '>', sql.lit(0))
    .executeTakeFirst();
  return Number(row?.size ?? 0);
}
