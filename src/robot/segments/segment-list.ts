import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import { settledThrough, willAppend } from '../../engine/database/growing-list.ts';
import type { Database, Queries } from '../database/tables.ts';

/** The owner of the blobs of a crawl's segments. */
export const segmentOwner = (crawl: number) => `robot:${crawl}`;

const listOf = (crawl: number) => `robot.segments.${crawl}`;

/** Registers a segment whose bytes are in Blobs; resolves to its id. Nothing later in the transaction may wait for other transactions. */
export async function addSegment(
  database: Pick<Database, 'dialect'>,
  transaction: Queries,
  segment: {
    crawl: number;
    blob: { hash: string; size: number };
    parts: readonly object[];
    pages: number;
    now: number;
  },
): Promise<number> {
  const { crawl, blob, parts, pages, now } = segment;
  await ownAll(transaction, [blob.hash], segmentOwner(crawl), now);
  await willAppend(database, transaction, listOf(crawl));
  const { id } = await transaction
    .insertInto('robot_segment')
    .values({
      crawl,
      blob: blob.hash,
      size: blob.size,
      pages,
      createdAt: now,
      parts: JSON.stringify(parts),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return Number(id);
}

/** Lists segments by id. No segment with a smaller id will appear later, so an export can continue after the last one. */
export async function listSegments(
  database: Database,
  { crawl, after, limit }: { crawl: number; after: number; limit: number },
) {
  const { query } = database;
  const through = await settledThrough(database, listOf(crawl), async () => {
    const newest = await query
      .selectFrom('robot_segment')
      .select(({ fn }) => fn.max('id').as('id'))
      .where('crawl', '=', crawl)
      .executeTakeFirst();
    return Number(newest?.id ?? 0);
  });
  return query
    .selectFrom('robot_segment')
    .select(['id', 'size', 'pages', 'parts', 'createdAt'])
    .where('crawl', '=', crawl)
    .where('id', '>', after)
    .where('id', '<=', through)
    .orderBy('id')
    .limit(limit)
    .execute();
}
