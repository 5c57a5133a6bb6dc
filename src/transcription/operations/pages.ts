import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { page as part } from '../../engine/operation/operations/inputs.ts';
import { documentQueries } from '../database/database.ts';
import { getDocument, pageStates } from '../documents/document.ts';
import { documentId, fileRow, ownerOfDocument, pageName, pageRow, toPageRow } from './rows.ts';
import { documentText } from './text.ts';

const someDocument = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';
const reading = { role: 'reader', owner: ownerOfDocument, changes: false } as const;

export const documentPages = defineOperation({
  ...reading,
  name: 'document.pages',
  heavy: 'read',
  summary: 'List the pages of a document and their states',
  input: z.strictObject({
    document: documentId,
    state: z.enum(pageStates).optional().describe('Only pages in this state'),
    endedSince: z
      .number()
      .optional()
      .describe('Only pages that ended at or after this time, in that order; for following progress'),
    ...part,
  }),
  output: z.strictObject({ pages: z.array(pageRow) }),
  example: { document: someDocument, state: 'failed' },
  async handler({ engine }, { document, ...filter }) {
    await getDocument(documentQueries(engine), document);
    const { listPages } = await import('../documents/page-list.ts');
    const rows = await listPages(documentQueries(engine), document, filter);
    return { pages: rows.map((row) => toPageRow(document, row)) };
  },
});

export const documentPage = defineOperation({
  ...reading,
  name: 'document.page',
  summary: 'Show a page with its log and results',
  input: z.strictObject({ document: documentId, page: pageName }),
  output: z.strictObject({ ...pageRow.shape, log: z.string(), files: z.array(fileRow) }),
  example: { document: someDocument, page: 1 },
  async handler({ engine }, { document, page: named }) {
    const { filesOf, findListed } = await import('../documents/page-list.ts');
    const queries = documentQueries(engine);
    const row = await findListed(queries, document, named);
    if (!row) throw new PismakError('not-found', `the document has no page ${named}`);
    const { id } = row;
    const more = await queries
      .selectFrom('transcription_page as page')
      .select('log')
      .where('id', '=', id)
      .executeTakeFirst();
    const files = (await filesOf(queries, [id])).get(id) ?? [];
    return {
      ...toPageRow(document, row),
      log: more?.log ?? '',
      files: files.map(({ page: _, ...file }) => file),
    };
  },
});

export const documentResults = defineOperation({
  ...reading,
  name: 'document.results',
  summary: 'List the result files of finished pages; document.file downloads them',
  input: z.strictObject({
    document: documentId,
    endedSince: z
      .number()
      .optional()
      .describe('Only pages that ended at or after this time, in that order; for following progress'),
    ...part,
  }),
  output: z.strictObject({
    pages: z.array(z.strictObject({ ...pageRow.shape, files: z.array(fileRow) })),
  }),
  example: { document: someDocument },
  async handler({ engine }, { document, ...filter }) {
    const { filesOf, listPages } = await import('../documents/page-list.ts');
    const queries = documentQueries(engine);
    await getDocument(queries, document);
    const rows = await listPages(queries, document, { ...filter, state: 'read' });
    const files = await filesOf(
      queries,
      rows.map(({ id }) => id),
    );
    return {
      pages: rows.map((row) => ({
        ...toPageRow(document, row),
        files: (files.get(row.id) ?? []).map(({ page: _, ...file }) => file),
      })),
    };
  },
});

export const documentSources = defineOperation({
  ...reading,
  name: 'document.sources',
  summary: 'List the sources of a document in order',
  input: z.strictObject({ document: documentId, ...part }),
  output: z.strictObject({
    sources: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        hash: z.string(),
        size: z.int(),
        state: z.enum(['new', 'waiting', 'done', 'failed', 'cancelled']),
        error: z.string().nullable(),
      }),
    ),
  }),
  example: { document: someDocument },
  async handler({ engine }, { document, offset, limit }) {
    const queries = documentQueries(engine);
    await getDocument(queries, document);
    const rows = await queries
      .selectFrom('transcription_source as source')
      .select(['id', 'name', 'hash', 'size', 'state', 'error'])
      .where('document', '=', document)
      .orderBy('position')
      .offset(offset)
      .limit(limit)
      .execute();
    const state = z.enum(['new', 'waiting', 'done', 'failed', 'cancelled']);
    return { sources: rows.map((row) => ({ ...row, state: state.parse(row.state) })) };
  },
});

export const pageOperations: Operation[] = [
  documentSources,
  documentPages,
  documentPage,
  documentText,
  documentResults,
];
