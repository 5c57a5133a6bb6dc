import type { Queries } from '../database/tables.ts';
import { type CrawlDefinition, readDefinition } from './options.ts';

/** Options of crawls, by the crawl's id. They never change. */
const known = new Map<string, CrawlDefinition>();
const mostKnown = 200;

/**
 * The options of a crawl without its seeds, of which a crawl may have megabytes: those who plan and fetch ask often, and don't need them. Undefined
 * if the crawl is gone.
 */
export async function optionsOf(queries: Queries, id: string): Promise<CrawlDefinition | undefined> {
  const before = known.get(id);
  if (before) return before;
  const row = await queries
    .selectFrom('robot_crawl')
    .select('options')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const options = { ...readDefinition(row.options), seeds: [] };
  if (known.size >= mostKnown) known.clear();
  known.set(id, options);
  return options;
}
