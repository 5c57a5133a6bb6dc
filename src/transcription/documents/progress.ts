import { countInBacklog, requestsInBacklog } from '../../engine/backlog/backlog-contents.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Queries } from '../database/database.ts';
import { positionsPerSource, type SourceRow, splitStage } from './document.ts';

export interface PageCounts {
  total: number;
  /** In the backlog. */
  waiting: number;
  /** In a queue or with a worker. */
  running: number;
  done: number;
  failed: number;
  cancelled: number;
}

/** Counted by query. A counter updated by every page would make pages wait for each other. */
export async function countPages(queries: Queries, document: string): Promise<PageCounts> {
  return (await countAllPages(queries, [document])).get(document) ?? none;
}

const none: PageCounts = { total: 0, waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 };

export async function countAllPages(
  queries: Queries,
  documents: readonly string[],
): Promise<Map<string, PageCounts>> {
  const counts = new Map(documents.map((id) => [id, { ...none }]));
  if (documents.length === 0) return counts;
  const rows = await queries
    .selectFrom('transcription_page as page')
    .select(({ fn }) => ['document', 'state', fn.countAll().as('count')])
    .where('document', 'in', documents)
    .groupBy(['document', 'state'])
    .execute();
  for (const { document, state, count } of rows) {
    const of = counts.get(document);
    if (!of) continue;
    const number = Number(count);
    of.total += number;
    if (state === 'waiting') of.running += number;
    else if (state === 'done' || state === 'failed' || state === 'cancelled') of[state] += number;
  }
  for (const [document, count] of await countInBacklog(queries, documents, { exceptQueue: splitStage })) {
    const of = counts.get(document);
    if (!of) continue;
    of.waiting = Math.min(of.running, count);
    of.running -= of.waiting;
  }
  return counts;
}

/** Pages of a source so far: a long one comes in parts. */
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

/** Unfinished requests that have left the backlog: they are in a queue, with a worker, or lost. */
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

/** Limits progress messages to one a second per document. */
export class ProgressNews {
  readonly #clock: Clock;
  readonly #told = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(document: string): boolean {
    const now = this.#clock.now();
    if (now - (this.#told.get(document) ?? Number.NEGATIVE_INFINITY) < 1000) return false;
    this.#told.set(document, now);
    return true;
  }

  forget(document: string): void {
    this.#told.delete(document);
  }
}
