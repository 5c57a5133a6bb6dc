import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { foldedName } from '../text/fold.ts';
import type { DocumentRow } from './document.ts';
import { keyOf } from './document-keywords.ts';
import type { DocumentOrder } from './document-orders.ts';
import type { Quality } from './page-quality.ts';

export interface DocumentFilter {
  owner?: string | undefined;
  state?: readonly string[] | undefined;
  /** Exactly this name. */
  name?: string | undefined;
  nameHas?: string | undefined;
  /** All of them. */
  keyword?: readonly string[] | undefined;
  createdFrom?: number | undefined;
  createdBefore?: number | undefined;
  minConfidence?: number | undefined;
  maxConfidence?: number | undefined;
  /** Has a page of this quality. */
  has?: Quality | undefined;
}

export interface DocumentWindow {
  sort: DocumentOrder;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
}

/** Ids are in the order of creation. */
const columns = {
  created: 'id',
  name: 'nameKey',
  owner: 'owner',
  state: 'state',
  pages: 'pageCount',
  confidence: 'meanConfidence',
} as const satisfies Record<DocumentOrder, keyof DocumentRow>;

/** The documents in a window of the sorted list, and how many there are in all. */
export async function listDocuments(
  queries: Queries,
  filter: DocumentFilter,
  window: DocumentWindow,
): Promise<{ rows: DocumentRow[]; total: number }> {
  const counted = await matching(queries, filter)
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirst();
  const total = Number(counted?.total ?? 0);
  if (total <= window.offset) return { rows: [], total };
  const ids = (await idsInWindow(queries, filter, window).execute()).map(({ id }) => id);
  if (ids.length === 0) return { rows: [], total };
  const found = await queries
    .selectFrom('transcription_document as document')
    .selectAll()
    .where('id', 'in', ids)
    .execute();
  const rows = new Map(found.map((row) => [row.id, row]));
  // One may have been deleted meanwhile.
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total };
}

/** Only the ids, so that rows which the offset skips are read from the index alone. */
export function idsInWindow(
  queries: Queries,
  filter: DocumentFilter,
  { sort, order, offset, limit }: DocumentWindow,
) {
  const sorted = matching(queries, filter).select('document.id').orderBy(`document.${columns[sort]}`, order);
  // Documents of equal rank keep one order, so that pages of the list neither repeat nor miss any.
  const stable = sort === 'created' ? sorted : sorted.orderBy('document.id', order);
  return stable.offset(offset).limit(limit);
}

function matching(queries: Queries, filter: DocumentFilter) {
  const { owner, state, name, nameHas, keyword = [], createdFrom, createdBefore, has } = filter;
  const { minConfidence, maxConfidence } = filter;
  let query = queries.selectFrom('transcription_document as document');
  if (owner !== undefined) query = query.where('document.owner', '=', owner);
  if (state !== undefined) query = query.where('document.state', 'in', state);
  if (name !== undefined) query = query.where('document.name', '=', name);
  if (nameHas !== undefined)
    query = query.where(
      sql<boolean>`"document"."nameKey" LIKE ${containing(foldedName(nameHas))} ESCAPE '!'`,
    );
  if (createdFrom !== undefined) query = query.where('document.createdAt', '>=', createdFrom);
  if (createdBefore !== undefined) query = query.where('document.createdAt', '<', createdBefore);
  if (minConfidence !== undefined) query = query.where('document.meanConfidence', '>=', minConfidence);
  if (maxConfidence !== undefined)
    query = query
      .where('document.meanConfidence', '>=', 0)
      .where('document.meanConfidence', '<=', maxConfidence);
  for (const word of keyword)
    query = query.where('document.id', 'in', (inner) =>
      inner.selectFrom('transcription_keyword').select('document').where('key', '=', keyOf(word)),
    );
  if (has !== undefined)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('transcription_page as page')
          .select('page.id')
          .whereRef('page.document', '=', 'document.id')
          .where('page.quality', '=', has),
      ),
    );
  return query;
}

function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (character) => `!${character}`)}%`;
}
