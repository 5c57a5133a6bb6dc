import { sql } from 'kysely';
import { requestsInBacklog } from '../../engine/backlog/backlog-contents.ts';
import type { Queries } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';
import { splitStage } from './document.ts';

export interface ListedPage {
  id: string;
  /** Counted from 1 through the whole document. */
  number: number;
  name: string;
  part: number | null;
  source: string;
  state: string;
  error: string | null;
  generation: number;
  endedAt: number | null;
}

export interface PageFilter {
  state?: string | undefined;
  /** Only pages that ended at this time or later, in that order. */
  endedSince?: number | undefined;
  /** Only the page with this number or id. */
  named?: number | string | undefined;
  offset: number;
  limit: number;
}

export async function listPages(
  queries: Queries,
  document: string,
  filter: PageFilter,
): Promise<ListedPage[]> {
  const waiting = await requestsInBacklog(queries, document, { exceptQueue: splitStage });
  let query = queries
    .selectFrom((from) =>
      from
        .selectFrom('transcription_page as page')
        .select(['id', sql<number>`row_number() OVER (ORDER BY "position")`.as('number')])
        .where('document', '=', document)
        .as('numbered'),
    )
    .innerJoin('transcription_page as page', 'page.id', 'numbered.id')
    .select([
      'page.id',
      'numbered.number',
      'page.name',
      'page.part',
      'page.source',
      'page.state',
      'page.error',
    ])
    .select(['page.generation', 'page.endedAt', 'page.request']);
  if (typeof filter.named === 'number') query = query.where('numbered.number', '=', filter.named);
  if (typeof filter.named === 'string') query = query.where('page.id', '=', filter.named);
  // Only the backlog knows whether a page still waits or already runs, so these two states are filtered after the query.
  const unfinished = filter.state === 'waiting' || filter.state === 'running';
  if (filter.state !== undefined)
    query = query.where('page.state', '=', unfinished ? 'waiting' : filter.state);
  if (!unfinished) query = query.offset(filter.offset).limit(filter.limit);
  if (filter.endedSince !== undefined) {
    query = query.where('page.endedAt', '>=', filter.endedSince).orderBy('page.endedAt');
  }
  const rows = await query.orderBy('numbered.number').execute();
  const listed = rows.map(({ request, ...row }) => ({
    ...row,
    number: Number(row.number),
    state: row.state === 'waiting' && !waiting.has(request ?? '') ? 'running' : row.state,
  }));
  if (!unfinished) return listed;
  return listed
    .filter(({ state }) => state === filter.state)
    .slice(filter.offset, filter.offset + filter.limit);
}

export async function filesOf(
  queries: Queries,
  pages: readonly string[],
): Promise<Map<string, TranscriptionTables['transcription_pageFile'][]>> {
  if (pages.length === 0) return new Map();
  const rows = await queries
    .selectFrom('transcription_pageFile as pageFile')
    .selectAll()
    .where('page', 'in', pages)
    .orderBy('name')
    .execute();
  return Map.groupBy(rows, (row) => row.page);
}
