import { z } from 'zod';
import { parseJson } from '../../engine/ground/json.ts';
import type { Queries } from '../database/database.ts';
import { foldedName } from '../text/fold.ts';
import type { DocumentRow } from './document.ts';

const mostOfPage = 30;
const mostOfDocument = 100;
const longestWord = 100;
const pagesAtOnce = 500;

/** The part of `keywords.json` that matters here. */
const found = z.object({
  keywords: z.array(z.object({ word: z.string(), count: z.int().positive() })),
});

const stored = z.array(z.tuple([z.string(), z.int()]));

/** The column of a page, from the file that the stage `index` left; null if it is something else. */
export function keywordsOfPage(json: string): string | null {
  const parsed = found.safeParse(parseJson(json));
  if (!parsed.success) return null;
  const words = parsed.data.keywords
    .slice(0, mostOfPage)
    .map(({ word, count }) => [storableWord(word), count] as const)
    .filter(([word]) => keyOf(word) !== '');
  return words.length === 0 ? null : JSON.stringify(words);
}

function storableWord(word: string): string {
  return word.replaceAll('\0', '').slice(0, longestWord).toWellFormed();
}

/** Accents and case don't matter. */
export function keyOf(word: string): string {
  return foldedName(word).slice(0, longestWord).toWellFormed();
}

/** Stores the most frequent keywords of all pages with the document. Runs in the caller's transaction and may be repeated. */
export async function storeKeywords(
  transaction: Queries,
  { id, owner }: Pick<DocumentRow, 'id' | 'owner'>,
): Promise<void> {
  const words = new Map<string, { word: string; most: number; count: number; pages: number }>();
  for (let after = -1; ; ) {
    const pages = await transaction
      .selectFrom('transcription_page')
      .select(['position', 'keywordsJson'])
      .where('document', '=', id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(pagesAtOnce)
      .execute();
    after = pages.at(-1)?.position ?? after;
    for (const { keywordsJson } of pages) {
      if (keywordsJson === null) continue;
      for (const [word, count] of stored.parse(JSON.parse(keywordsJson))) {
        const known = words.get(keyOf(word)) ?? { word, most: 0, count: 0, pages: 0 };
        // Spelled as on the page that has it most often.
        const spelling = count > known.most ? { word, most: count } : {};
        words.set(keyOf(word), {
          ...known,
          ...spelling,
          count: known.count + count,
          pages: known.pages + 1,
        });
      }
    }
    if (pages.length < pagesAtOnce) break;
  }
  await dropKeywords(transaction, id);
  const rows = [...words]
    .map(([key, { word, count, pages }]) => ({ document: id, owner, key, word, count, pages }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, mostOfDocument);
  if (rows.length > 0) await transaction.insertInto('transcription_keyword').values(rows).execute();
}

export async function dropKeywords(transaction: Queries, document: string): Promise<void> {
  await transaction.deleteFrom('transcription_keyword').where('document', '=', document).execute();
}

/** All keywords of a document, most frequent first. */
export async function keywordsOf(queries: Queries, document: string) {
  return queries
    .selectFrom('transcription_keyword')
    .select(['key', 'word', 'count', 'pages'])
    .where('document', '=', document)
    .orderBy('count', 'desc')
    .orderBy('key')
    .execute();
}

/** More rows are not counted: then the answer is about the first of them in the order of the alphabet. */
const mostCounted = 20_000;

/** Keywords of many documents that begin like this, those of most documents first. */
export async function findKeywords(
  queries: Queries,
  { owner, starts, limit }: { owner: string | undefined; starts: string; limit: number },
): Promise<{ word: string; documents: number }[]> {
  const from = keyOf(starts);
  const rows = await queries
    .selectFrom((inner) => {
      let some = inner.selectFrom('transcription_keyword').select(['key', 'word']);
      if (owner !== undefined) some = some.where('owner', '=', owner);
      // By range, which uses the index on both databases.
      if (from !== '') some = some.where('key', '>=', from).where('key', '<', `${from}\u{10ffff}`);
      return some.orderBy('key').limit(mostCounted).as('some');
    })
    .select(({ fn }) => [fn.min('word').as('word'), fn.countAll().as('documents')])
    .groupBy('key')
    .orderBy('documents', 'desc')
    .orderBy('key')
    .limit(limit)
    .execute();
  return rows.map(({ word, documents }) => ({ word, documents: Number(documents) }));
}
