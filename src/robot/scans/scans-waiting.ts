import type { Queries } from '../database/tables.ts';

/** How many pages of each crawl wait to be read, by its number. */
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
