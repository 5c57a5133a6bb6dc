import { z } from 'zod';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { defineOperation, mayTouch, type Operation } from '../../engine/operation/operation.ts';
import { page as part } from '../../engine/operation/operations/inputs.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { findDocument } from '../documents/document.ts';
import { files } from '../files.ts';
import { page as pageModel } from '../page.ts';
import { placesOf } from '../search/places.ts';
import { parseQuery, type Term } from '../search/query.ts';
import { snippetOf } from '../search/snippet.ts';
import { documentId } from './rows.ts';

const box = z.strictObject({ left: z.int(), top: z.int(), width: z.int(), height: z.int() });

export const searchText = defineOperation({
  audited: true,
  name: 'search.text',
  summary: 'Search the texts you may see; accents and case don’t matter',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    words: z
      .string()
      .max(1000)
      .regex(/\S/, 'name at least one word to search for')
      .describe('All words must match. Use "quotes" for a phrase and word* for a prefix'),
    document: documentId.optional().describe('Only in this document'),
    places: z.boolean().default(false).describe('Also give the places of the words on the page, in pixels'),
    offset: part.offset.unwrap().max(100_000).default(0),
    limit: part.limit.unwrap().max(200).default(20),
  }),
  output: z.strictObject({
    hits: z.array(
      z.strictObject({
        document: z.string(),
        name: z.string().describe('Name of the document'),
        page: z.int(),
        pageName: z.string(),
        snippet: z.string(),
        marks: z
          .array(z.strictObject({ start: z.int(), end: z.int() }))
          .describe('Positions of the words in the snippet'),
        places: z.array(z.strictObject({ text: z.string(), box })).optional(),
      }),
    ),
  }),
  example: { words: 'císař "František Josef" praž*' },
  async handler({ engine, caller }, { words, document, places, offset, limit }) {
    const { createTextIndex } = await import('../search/text-index.ts');
    const terms = parseQuery(words);
    const queries = documentQueries(engine);
    if (document !== undefined) {
      const found = await findDocument(queries, document);
      if (!found || !mayTouch(caller, found.owner)) return { hits: [] };
    }
    const owner = caller.role === 'admin' ? undefined : caller.name;
    const found = await createTextIndex(engine.database).search({ terms, owner, document, offset, limit });
    const hits = [];
    for (const hit of found) {
      const page = await queries
        .selectFrom('transcription_page as page')
        .innerJoin('transcription_document as document', 'document.id', 'page.document')
        .select(['page.name as pageName', 'document.name'])
        .select(({ selectFrom }) =>
          selectFrom('transcription_page as before')
            .select(({ fn }) => fn.countAll().as('count'))
            .whereRef('before.document', '=', 'page.document')
            .whereRef('before.position', '<=', 'page.position')
            .as('number'),
        )
        .where('page.id', '=', hit.page)
        .executeTakeFirst();
      // Deleted between the two queries.
      if (!page) continue;
      const { text: snippet, marks } = snippetOf(hit.text, terms);
      hits.push({
        ...{ document: hit.document, name: page.name, page: Number(page.number), pageName: page.pageName },
        ...{ snippet, marks },
        ...(places && { places: await placesOn(engine, hit.page, terms) }),
      });
    }
    return { hits };
  },
});

async function placesOn({ blobs, database }: Engine, page: string, terms: readonly Term[]) {
  const file = await documentQueries({ database })
    .selectFrom('transcription_pageFile as pageFile')
    .select('hash')
    .where('page', '=', page)
    .where('name', '=', files.page)
    .executeTakeFirst();
  if (!file) return [];
  const model = pageModel.safeParse(JSON.parse(Buffer.from(await readBlob(blobs, file.hash)).toString()));
  return model.success ? placesOf(model.data, terms) : [];
}

export const searchOperations: Operation[] = [searchText];
