import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { mayTouch } from '../../engine/ground/caller.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { page as part } from '../../engine/operation/operations/inputs.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { findDocument } from '../documents/document.ts';
import { placesOf } from '../search/places.ts';
import { parseQuery, type Term } from '../search/query.ts';
import { snippetOf } from '../search/snippet.ts';
import { documentId } from './rows.ts';

/** Positions require reading the whole page from the blobs. */
const mostWithPlaces = 50;

const box = z.strictObject({ left: z.int(), top: z.int(), width: z.int(), height: z.int() });

export const searchText = defineOperation({
  audited: true,
  name: 'search.text',
  summary: 'Search the texts you may see; accents and case don’t matter',
  role: 'reader',
  owner: 'caller',
  changes: false,
  heavy: 'read',
  input: z
    .strictObject({
      words: z
        .string()
        .max(1000)
        .regex(/\S/, 'name at least one word to search for')
        .describe('All words must match. Use "quotes" for a phrase and word* for a prefix'),
      document: documentId.optional().describe('Only in this document'),
      places: z
        .boolean()
        .default(false)
        .describe(
          'Also return the positions of the words and lines, in pixels of the page’s image as submitted',
        ),
      offset: part.offset.unwrap().max(100_000).default(0),
      limit: part.limit.unwrap().max(200).default(20),
    })
    .refine(({ places, limit }) => !places || limit <= mostWithPlaces, {
      path: ['limit'],
      error: `with places, at most ${mostWithPlaces} hits at once`,
    }),
  output: z.strictObject({
    hits: z.array(
      z.strictObject({
        document: z.string(),
        name: z.string().describe('Name of the document'),
        page: z.int(),
        pageId: z.string(),
        pageName: z.string(),
        width: z.int().nullable().describe('Of the page’s image, in pixels; null if unknown'),
        height: z.int().nullable(),
        snippet: z.string(),
        marks: z
          .array(z.strictObject({ start: z.int(), end: z.int() }))
          .describe('Positions of the words in the snippet'),
        places: z
          .array(
            z.strictObject({
              text: z.string(),
              box,
              line: box.describe('Of the line that the word is in'),
              lineNumber: z.int().describe('In reading order, counted from 0; as in document.text'),
            }),
          )
          .optional(),
      }),
    ),
    withoutText: z
      .int()
      .describe(
        'Pages that were not searched, because they have no text, or none yet; may be some seconds old',
      ),
  }),
  example: { words: 'císař "František Josef" praž*' },
  async handler({ engine, caller, signal }, { words, document, places, offset, limit }) {
    const [{ findTexts }, { pagesWithoutText }] = await Promise.all([
      import('../documents/find-texts.ts'),
      import('../documents/document-figures.ts'),
    ]);
    const terms = parseQuery(words);
    const queries = documentQueries(engine);
    if (document !== undefined) {
      const found = await findDocument(queries, document);
      if (!found || !mayTouch(caller, found.owner)) return { hits: [], withoutText: 0 };
    }
    const owner = caller.role === 'admin' ? undefined : caller.name;
    const hits = [];
    for await (const { text, ...hit } of findTexts(engine.database.withTables(), {
      terms,
      owner,
      document,
      offset,
      limit,
    })) {
      signal.throwIfAborted();
      const { text: snippet, marks } = snippetOf(text, terms);
      const { id, ...shown } = hit;
      hits.push({
        ...shown,
        pageId: id,
        snippet,
        marks,
        ...(places && { places: await placesOn(engine, id, terms) }),
      });
      // A snippet may take milliseconds; let other work run in between.
      await setImmediate();
    }
    return { hits, withoutText: await pagesWithoutText(queries, { owner, document }) };
  },
});

async function placesOn(engine: Engine, id: string, terms: readonly Term[]) {
  const { readPageText } = await import('../documents/read-page-text.ts');
  const page = await readPageText(engine, id);
  return page ? placesOf(page, terms) : [];
}

export const searchOperations: Operation[] = [searchText];
