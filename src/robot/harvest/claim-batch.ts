import { optionsOf } from '../crawl/known-options.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import type { BatchRow, Database, Queries } from '../database/tables.ts';

export interface ClaimedBatch {
  row: BatchRow;
  options: CrawlDefinition;
  crawlId: string;
}

/**
 * Claims the oldest batch on offer for this process, but none of the crawls in `except`. By compare-and-set: of several processes that see a batch,
 * one gets it.
 */
export async function claimBatch(
  { query }: Database,
  process: string,
  except: readonly number[] = [],
): Promise<ClaimedBatch | undefined> {
  let offers = query
    .selectFrom('robot_batch')
    .innerJoin('robot_crawl', 'robot_crawl.number', 'robot_batch.crawl')
    .selectAll('robot_batch')
    .select('robot_crawl.id as crawlId')
    .where('robot_batch.state', '=', 'offered')
    .where('robot_crawl.state', '=', 'running');
  if (except.length > 0) offers = offers.where('robot_batch.crawl', 'not in', except);
  const offered = await offers.orderBy('robot_batch.createdAt').limit(5).execute();
  for (const { crawlId, ...row } of offered) {
    const options = await optionsOf(query, crawlId);
    if (!options) continue;
    const { numUpdatedRows } = await query
      .updateTable('robot_batch')
      .set({ state: 'claimed', harvester: process })
      .where('id', '=', row.id)
      .where('state', '=', 'offered')
      .executeTakeFirst();
    if (Number(numUpdatedRows) > 0) return { row, crawlId, options };
  }
  return undefined;
}

/** Renews the lease of a batch; false if the keeper has taken it back. */
export async function renewBatch(queries: Queries, batch: string, process: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('robot_batch')
    .set(({ eb }) => ({ renewals: eb('renewals', '+', 1) }))
    .where('id', '=', batch)
    .where('state', '=', 'claimed')
    .where('harvester', '=', process)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}
