import { requestsInBacklog } from '../../engine/backlog/backlog-contents.ts';
import type { Queries } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';
import { splitStage } from './document.ts';
import { findPage, numbersOf } from './page-numbers.ts';
import { type Quality, qualities } from './page-quality.ts';

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
  confidence: number | null;
  words: number | null;
  doubtfulWords: number | null;
  unreadLines: number | null;
  language: string | null;
  width: number | null;
  height: number | null;
  hasImage: boolean;
  endedAt: number | null;
}

export interface PageFilter {
  /** As shown in lists; `read` means all pages with results. */
  state?: string | undefined;
  /** Only pages that ended at or after this time, in that order. */
  endedSince?: number | undefined;
  offset: number;
  limit: number;
}

const columns = [
  ...(['id', 'position', 'name', 'part', 'source', 'state', 'error'] as const),
  ...(['generation', 'endedAt', 'request', 'quality', 'confidence', 'words', 'language'] as const),
  ...(['unreadLines', 'doubtfulWords', 'width', 'height', 'hash'] as const),
];

export async function listPages(
  queries: Queries,
  document: string,
  filter: PageFilter,
): Promise<ListedPage[]> {
  const { state, endedSince, offset, limit } = filter;
  if (state === 'waiting' || state === 'running')
    return listUnfinished(queries, document, { ...filter, state });
  let query = queries.selectFrom('transcription_page').select(columns).where('document', '=', document);
  if (state === 'read') query = query.where('state', '=', 'done');
  else if (isQuality(state)) query = query.where('quality', '=', state).where('state', '=', 'done');
  else if (state !== undefined) query = query.where('state', '=', state).where('quality', 'is', null);
  if (endedSince !== undefined) query = query.where('endedAt', '>=', endedSince).orderBy('endedAt');
  const rows = await query.orderBy('position').offset(offset).limit(limit).execute();
  return toListed(queries, document, rows);
}

/** Only the backlog knows whether a page still waits or already runs. */
async function listUnfinished(
  queries: Queries,
  document: string,
  { state, endedSince, offset, limit }: PageFilter & { state: 'waiting' | 'running' },
): Promise<ListedPage[]> {
  // Unfinished pages have no end time.
  if (endedSince !== undefined) return [];
  const all = await queries
    .selectFrom('transcription_page')
    .select(['id', 'request'])
    .where('document', '=', document)
    .where('state', '=', 'waiting')
    .orderBy('position')
    .execute();
  const held = await requestsInBacklog(queries, document, { exceptQueue: splitStage });
  const ids = all
    .filter(({ request }) => held.has(request ?? '') === (state === 'waiting'))
    .slice(offset, offset + limit)
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await queries
    .selectFrom('transcription_page')
    .select(columns)
    .where('id', 'in', ids)
    .orderBy('position')
    .execute();
  const listed = await withNumbers(queries, document, rows);
  return listed.map((page) => (page.state === 'waiting' ? { ...page, state } : page));
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
  const [page] = await toListed(queries, document, rows);
  return page;
}

type Row = Pick<TranscriptionTables['transcription_page'], (typeof columns)[number]>;

async function toListed(queries: Queries, document: string, rows: readonly Row[]): Promise<ListedPage[]> {
  return withNumbers(queries, document, await withStates(queries, document, rows));
}

/** Rows say `waiting` until a page ends; the backlog tells whether it is running. */
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
  return rows.map(({ request: _, position: __, hash, quality, ...row }) => ({
    ...row,
    hasImage: hash !== null,
    state: row.state === 'done' ? (quality ?? 'done') : row.state,
    number: numbers.get(row.id) ?? 0,
  }));
}

function isQuality(state: string | undefined): state is Quality {
  return qualities.some((quality) => quality === state);
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
