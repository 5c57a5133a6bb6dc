import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Queries } from '../database/tables.ts';
import type { CorpusDocument } from '../text/corpus/document.ts';

/** The queue where pipelines deliver the pages that they have read. */
export const scanQueue = 'robot.scans';

/** Stores pages that wait to be read, in the transaction that stores the page of the crawl. */
export async function addScans(
  transaction: Queries,
  pages: readonly { document: CorpusDocument; page: number; blob: string }[],
  { crawl, clock, blobOwner }: { crawl: number; clock: Clock; blobOwner: string },
): Promise<void> {
  if (pages.length === 0) return;
  const row = await transaction
    .selectFrom('robot_crawl')
    .select(['owner', 'options'])
    .where('number', '=', crawl)
    .executeTakeFirst();
  if (!row) return;
  const { scans: pipeline = '' } = JSON.parse(row.options) as { scans?: string };
  if (pipeline === '') return;
  await ownAll(
    transaction,
    pages.map(({ blob }) => blob),
    blobOwner,
    clock.now(),
  );
  for (const { document, page, blob } of pages)
    await transaction
      .insertInto('robot_scan')
      .values({
        uuid: newId(clock),
        crawl,
        pipeline,
        owner: row.owner,
        page,
        blob,
        state: 'new',
        notBefore: 0,
        document: JSON.stringify(document),
      })
      .execute();
}

/** The number of pages that wait to be read, by number of the crawl. */
export async function scansWaiting(
  query: Queries,
  crawls: readonly { number: number }[],
): Promise<Map<number, number>> {
  if (crawls.length === 0) return new Map();
  const rows = await query
    .selectFrom('robot_scan')
    .select(['crawl', ({ fn }) => fn.countAll<number>().as('count')])
    .where(
      'crawl',
      'in',
      crawls.map(({ number }) => number),
    )
    .groupBy('crawl')
    .execute();
  return new Map(rows.map(({ crawl, count }) => [Number(crawl), Number(count)]));
}
