import { requestsInBacklog } from '../../engine/backlog/backlog-contents.ts';
import type { Queries } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';
import { splitStage } from './document.ts';
import { findPage, numbersOf } from './page-numbers.ts';

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
  offset: number;
  limit: number;
}

const columns = [
  ...(['id', 'position', 'name', 'part', 'source', 'state', 'error'] as const),
  ...(['generation', 'endedAt', 'request'] as const),
];

export async function listPages(
  queries: Queries,
  document: string,
  filter: PageFilter,
): Promise<ListedPage[]> {
  let query = queries.selectFrom('transcription_page').select(columns).where('document', '=', document);
  // Only the backlog knows whether a page still waits or already runs, so these two states are filtered after the query.
  const unfinished = filter.state === 'waiting' || filter.state === 'running';
  if (filter.state !== undefined) query = query.where('state', '=', unfinished ? 'waiting' : filter.state);
  if (!unfinished) query = query.offset(filter.offset).limit(filter.limit);
  if (filter.endedSince !== undefined) {
    query = query.where('endedAt', '>=', filter.endedSince).orderBy('endedAt');
  }
  const found = await withStates(queries, document, await query.orderBy('position').execute());
  if (!unfinished) return withNumbers(queries, document, found);
  const wanted = found.filter(({ state }) => state === filter.state);
  return withNumbers(queries, document, wanted.slice(filter.offset, filter.offset + filter.limit));
}

/** The page with this number or id. */
export async function findListed(
  queries: Queries,
  document: string,
  named: number | string,
): Promise<ListedPage | undefined> {
  const id = await findPage(queries, document, named);
  if (id === undefined) return undefined;
  const rows = await queries.selectFrom('transcription_page').select(columns).where('id', '=', id).execute();
  const [page] = await withNumbers(queries, document, await withStates(queries, document, rows));
  return page;
}

type Row = Pick<TranscriptionTables['transcription_page'], (typeof columns)[number]>;

/** A page that waits in the rows may be under way already. */
async function withStates(queries: Queries, document: string, rows: readonly Row[]): Promise<Row[]> {
  const isWaiting = ({ state }: Row) => state === 'waiting';
  // The backlog may be long, and most lists are of finished pages.
  if (!rows.some(isWaiting)) return [...rows];
  const [first, ...more] = rows;
  const only = more.length === 0 && first?.request ? { only: first.request } : {};
  const waiting = await requestsInBacklog(queries, document, { exceptQueue: splitStage, ...only });
  return rows.map((row) =>
    isWaiting(row) && !waiting.has(row.request ?? '') ? { ...row, state: 'running' } : row,
  );
}

async function withNumbers(queries: Queries, document: string, rows: readonly Row[]): Promise<ListedPage[]> {
  const numbers = await numbersOf(queries, document, rows);
  return rows.map(({ request: _, position: __, ...row }) => ({ ...row, number: numbers.get(row.id) ?? 0 }));
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
