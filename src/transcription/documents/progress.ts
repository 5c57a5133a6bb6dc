import { countInBacklog, requestsInBacklog } from '../../engine/backlog/backlog-contents.ts';
import type { Queries } from '../database/database.ts';
import { positionsPerSource, type SourceRow, splitStage } from './document.ts';

export interface PageCounts {
  total: number;
  /** In the backlog. */
  waiting: number;
  /** In a queue or with a worker. */
  running: number;
  /** Read without doubt. */
  done: number;
  doubtful: number;
  noText: number;
  failed: number;
  cancelled: number;
}

/** Counts, and the mean confidence of all words. */
export interface PageFigures extends PageCounts {
  confidence: number | null;
}

/** Pages with results. */
export function readPages({ done, doubtful, noText }: PageCounts): number {
  return done + doubtful + noText;
}

/** Counts by query: a counter that every page updates would make pages wait for each other. */
export async function countPages(queries: Queries, document: string): Promise<PageCounts> {
  const { confidence: _, ...counts } = (await countAllPages(queries, [document])).get(document) ?? none;
  return counts;
}

const none: PageFigures = {
  total: 0,
  waiting: 0,
  running: 0,
  done: 0,
  doubtful: 0,
  noText: 0,
  failed: 0,
  cancelled: 0,
  confidence: null,
};

export async function countAllPages(
  queries: Queries,
  documents: readonly string[],
): Promise<Map<string, PageFigures>> {
  const counts = new Map(documents.map((id) => [id, { ...none }]));
  if (documents.length === 0) return counts;
  const rows = await queries
    .selectFrom('transcription_page as page')
    .select(({ fn }) => ['document', 'state', 'quality', fn.countAll().as('count')])
    .select((from) => [
      from.fn.sum(from('confidence', '*', from.ref('words'))).as('sure'),
      from.fn.sum('words').filterWhere('confidence', 'is not', null).as('words'),
    ])
    .where('document', 'in', documents)
    .groupBy(['document', 'state', 'quality'])
    .execute();
  const words = new Map<string, { sure: number; all: number }>();
  for (const { document, state, quality, count, ...sums } of rows) {
    const of = counts.get(document);
    if (!of) continue;
    const number = Number(count);
    of.total += number;
    const { sure, all } = words.get(document) ?? { sure: 0, all: 0 };
    words.set(document, { sure: sure + Number(sums.sure ?? 0), all: all + Number(sums.words ?? 0) });
    if (state === 'waiting') of.running += number;
    else if (state === 'done' && quality === 'doubtful') of.doubtful += number;
    else if (state === 'done' && quality === 'no-text') of.noText += number;
    else if (state === 'done' || state === 'failed' || state === 'cancelled') of[state] += number;
  }
  for (const [document, { sure, all }] of words) {
    const of = counts.get(document);
    if (of && all > 0) of.confidence = sure / all;
  }
  for (const [document, count] of await countInBacklog(queries, documents, { exceptQueue: splitStage })) {
    const of = counts.get(document);
    if (!of) continue;
    of.waiting = Math.min(of.running, count);
    of.running -= of.waiting;
  }
  return counts;
}

/** Pages of a source so far; a long source is split in parts. */
export async function countPagesOf(
  queries: Queries,
  { document, position }: Pick<SourceRow, 'document' | 'position'>,
): Promise<number> {
  const found = await queries
    .selectFrom('transcription_page as page')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('document', '=', document)
    .where('position', '>=', position * positionsPerSource)
    .where('position', '<', (position + 1) * positionsPerSource)
    .executeTakeFirst();
  return Number(found?.count ?? 0);
}

/** Unfinished requests outside the backlog: in a queue, with a worker, or lost. */
export async function releasedRequests(
  queries: Queries,
  table: 'page' | 'source',
  document: string,
): Promise<{ id: string; request: string }[]> {
  const rows = await queries
    .selectFrom(`transcription_${table}` as const)
    .select(['id', 'request'])
    .where('document', '=', document)
    .where('state', '=', 'waiting')
    .execute();
  // Read the backlog after the rows, because requests start there. Subtract here: a large document has too many for NOT IN.
  const held = await requestsInBacklog(queries, document);
  return rows.flatMap(({ id, request }) => (request === null || held.has(request) ? [] : [{ id, request }]));
}
