import { chunks } from '../../engine/ground/chunks.ts';
import type { Database } from '../database/database.ts';
import { createTextIndex, type TextQuery } from '../search/text-index.ts';
import { numbersOf } from './page-numbers.ts';

/** Texts are long, so only these many are in memory at once. */
const atOnce = 20;

export interface FoundText {
  id: string;
  document: string;
  /** Of the document. */
  name: string;
  page: number;
  pageName: string;
  /** Of the page's image, in pixels. */
  width: number | null;
  height: number | null;
  text: string;
}

/** The pages that match, best first, with their texts. */
export async function* findTexts(database: Database, query: TextQuery): AsyncGenerator<FoundText> {
  const queries = database.query;
  const hits = await createTextIndex(database).search(query);
  for (const some of chunks(hits, atOnce)) {
    const rows = await queries
      .selectFrom('transcription_page as page')
      .innerJoin('transcription_document as document', 'document.id', 'page.document')
      .innerJoin('transcription_pageText as text', 'text.page', 'page.id')
      .select([
        'page.id',
        'page.position',
        'page.document',
        'page.name as pageName',
        'page.width',
        'page.height',
        'document.name',
        'text.text',
      ])
      .where('page.id', 'in', some)
      .execute();
    const numbers = new Map<string, number>();
    for (const [document, pages] of Map.groupBy(rows, (row) => row.document)) {
      for (const [id, number] of await numbersOf(queries, document, pages)) numbers.set(id, number);
    }
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of some) {
      const row = found.get(id);
      // Deleted between the queries.
      if (!row) continue;
      const { position: _, ...rest } = row;
      yield { ...rest, page: numbers.get(id) ?? 0 };
    }
  }
}
