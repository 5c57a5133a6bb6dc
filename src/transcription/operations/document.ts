import { z } from 'zod';
import { mayTouch } from '../../engine/ground/caller.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { blobHash, page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { checkPriority } from '../../engine/request/priority.ts';
import { ownedName } from '../../engine/stage/owned-name.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import {
  defaultPipeline,
  documentStates,
  findDocument,
  getDocument,
  subjectOf,
} from '../documents/document.ts';
import { documentOrders } from '../documents/document-orders.ts';
import { qualities } from '../documents/page-quality.ts';
import { guessed, languageNames } from '../recognise/language.ts';
import { documentId, documentRow, format, name, ownerOfDocument, toRows } from './rows.ts';

const someDocument = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';
const language = z
  .string()
  .regex(languageNames, 'use the language names of Tesseract, e.g. ces, ces+deu or Fraktur; or auto')
  .describe('Languages by their Tesseract names, e.g. ces+deu; auto: guess the language of each page');
const one = z.strictObject({ document: documentId });
const share = z.number().min(0).max(1);
const changing = { role: 'user', owner: ownerOfDocument, changes: true } as const;

export const documentCreate = defineOperation({
  name: 'document.create',
  stores: true,
  summary: 'Create an empty document; add sources to it, then submit it',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({
    name,
    pipeline: ownedName.default(defaultPipeline),
    language: language.default(guessed),
    formats: z.array(format).min(1).max(20).default(['txt']),
    priority: z.int().min(0).max(1).default(0).describe('1: before all documents with 0; needs permission'),
    again: z
      .boolean()
      .default(false)
      .describe('Transcribe every page again, instead of reusing earlier results'),
    textLayer: z
      .boolean()
      .optional()
      .describe(
        'Use the text layer of PDFs instead of recognising their pages; the stage’s configuration decides by default',
      ),
    webhook: z
      .url()
      .max(2000)
      .optional()
      .describe('URL that gets a signed POST when the document is finished'),
  }),
  output: documentRow,
  example: { name: 'Chronicle 1907', language: 'ces+deu', formats: ['txt', 'page'] },
  secrets: ['webhook'],
  async handler({ engine, caller }, input) {
    const { createDocument } = await import('../documents/open-document.ts');
    checkPriority(input.priority, caller);
    if (input.webhook !== undefined) await checkWebhook(engine, input.webhook);
    const { name: owner, role } = caller;
    const row = await createDocument(engine, { ...input, owner, role, subject: subjectOf(caller) });
    const [document] = await toRows(documentQueries(engine), [row]);
    return documentRow.parse(document);
  },
});

export const documentAdd = defineOperation({
  ...changing,
  name: 'document.add',
  stores: true,
  summary: 'Add an uploaded image, TIFF, PDF or ZIP; the same name and bytes are added once',
  audited: false,
  input: z.strictObject({ document: documentId, name, hash: z.string().min(1).max(100) }),
  output: z.strictObject({ source: z.string(), size: z.int(), added: z.boolean() }),
  example: { document: someDocument, name: 'scan-0001.tif', hash: '0'.repeat(64) },
  async handler({ engine, caller }, { document, ...source }) {
    const { addSource } = await import('../documents/open-document.ts');
    blobHash.parse(source.hash);
    const { id, ...rest } = await addSource(engine, document, source, caller);
    return { source: id, ...rest };
  },
});

export const documentSubmit = defineOperation({
  ...changing,
  name: 'document.submit',
  heavy: 'work',
  deadlineMs: 300_000,
  stores: true,
  summary: 'Transcribe the sources added since the last submission',
  input: one,
  output: z.strictObject({ sources: z.int() }),
  example: { document: someDocument },
  async handler({ engine }, { document }) {
    const { submitDocument } = await import('../documents/submit-document.ts');
    return submitDocument(engine, document);
  },
});

export const documentRetry = defineOperation({
  ...changing,
  name: 'document.retry',
  heavy: 'work',
  deadlineMs: 300_000,
  stores: true,
  summary: 'Retry the failed pages and sources of a document, or read all pages again in another language',
  input: z.strictObject({
    document: documentId,
    language: language.optional().describe('Read all pages again, in this language'),
    unfinished: z
      .boolean()
      .default(false)
      .describe('Also retry what is under way, if it was lost; late results are dropped'),
  }),
  output: z.strictObject({ pages: z.int(), sources: z.int() }),
  example: { document: someDocument },
  async handler({ engine }, { document, unfinished, language }) {
    const { rereadDocument, retryDocument } = await import('../documents/retry-document.ts');
    if (language === undefined) return retryDocument(engine, document, { unfinished });
    return rereadDocument(engine, document, language);
  },
});

export const documentCancel = defineOperation({
  ...changing,
  name: 'document.cancel',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Cancel a document; finished pages stay',
  input: one,
  output: z.strictObject({ pages: z.int().describe('Pages that will not be transcribed') }),
  example: { document: someDocument },
  async handler({ engine }, { document }) {
    const { cancelDocument } = await import('../documents/end-document.ts');
    return cancelDocument(engine, document);
  },
});

export const documentResume = defineOperation({
  ...changing,
  name: 'document.resume',
  heavy: 'work',
  deadlineMs: 300_000,
  stores: true,
  summary: 'Continue a cancelled document: transcribe the pages that are not done',
  input: one,
  output: z.strictObject({ pages: z.int(), sources: z.int() }),
  example: { document: someDocument },
  async handler({ engine }, { document }) {
    const { resumeDocument } = await import('../documents/resume-document.ts');
    return resumeDocument(engine, document);
  },
});

export const documentDelete = defineOperation({
  ...changing,
  name: 'document.delete',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Delete a document with its sources, results and texts',
  input: one,
  output: done,
  example: { document: someDocument },
  async handler({ engine }, { document }) {
    const { eraseDocument } = await import('../documents/end-document.ts');
    await eraseDocument(engine, document);
    return {};
  },
});

export const documentList = defineOperation({
  name: 'document.ls',
  heavy: 'read',
  summary: 'List your documents, newest first; administrators see everybody’s',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    state: z
      .array(z.enum(documentStates))
      .min(1)
      .max(documentStates.length)
      .optional()
      .describe('Only documents in one of these states'),
    name: name.optional().describe('Only documents with exactly this name'),
    nameHas: name
      .optional()
      .describe('Only documents whose name contains this; accents and case don’t matter'),
    owner: z.string().min(1).max(200).optional().describe('Only documents of this user'),
    keyword: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(5)
      .optional()
      .describe('Only documents that have all these keywords (document.keywords)'),
    createdFrom: z.number().optional().describe('Only documents created at or after this time'),
    createdBefore: z.number().optional().describe('Only documents created before this time'),
    minConfidence: share.optional().describe('Only documents with at least this mean confidence'),
    maxConfidence: share.optional().describe('Only documents with at most this mean confidence'),
    has: z.enum(qualities).optional().describe('Only documents with such pages'),
    sort: z.enum(documentOrders).default('created').describe('Order of the list; equal ones by creation'),
    order: z
      .enum(['asc', 'desc'])
      .optional()
      .describe('Default: desc for created, asc otherwise. Documents without a confidence count as lowest'),
    offset: page.offset,
    limit: page.limit.unwrap().max(200).default(100),
  }),
  output: z.strictObject({
    documents: z.array(documentRow),
    total: z.int().describe('Documents that match, on all pages of the list'),
  }),
  example: { limit: 10 },
  async handler({ engine, caller }, { sort, order, offset, limit, ...filter }) {
    // Whose documents they are decides before anything is read.
    if (filter.owner !== undefined && !mayTouch(caller, filter.owner)) return { documents: [], total: 0 };
    const { listDocuments } = await import('../documents/document-list.ts');
    const queries = documentQueries(engine);
    const owner = caller.role === 'admin' ? filter.owner : caller.name;
    const direction = order ?? (sort === 'created' ? 'desc' : 'asc');
    const window = { sort, order: direction, offset, limit };
    const { rows, total } = await listDocuments(queries, { ...filter, owner }, window);
    return { documents: await toRows(queries, rows), total };
  },
});

export const documentKeywords = defineOperation({
  name: 'document.keywords',
  heavy: 'read',
  summary: 'List the keywords of a document, or those of all your documents that begin with some letters',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    document: documentId.optional().describe('Only of this document, most frequent first'),
    starts: z.string().max(100).default('').describe('First letters; accents and case don’t matter'),
    limit: page.limit.unwrap().max(100).default(50),
  }),
  output: z.strictObject({
    keywords: z.array(
      z.strictObject({
        word: z.string(),
        count: z.int().nullable().describe('How often the document has it; null without a document'),
        pages: z.int().nullable().describe('On how many of its pages; null without a document'),
        documents: z.int().describe('Documents that have it among their keywords'),
      }),
    ),
  }),
  example: { starts: 'praž' },
  async handler({ engine, caller }, { document, starts, limit }) {
    const { findKeywords, keyOf, keywordsOf } = await import('../documents/document-keywords.ts');
    const queries = documentQueries(engine);
    if (document === undefined) {
      const owner = caller.role === 'admin' ? undefined : caller.name;
      const found = await findKeywords(queries, { owner, starts, limit });
      return { keywords: found.map((row) => ({ ...row, count: null, pages: null })) };
    }
    const row = await findDocument(queries, document);
    if (!row || !mayTouch(caller, row.owner)) return { keywords: [] };
    const found = (await keywordsOf(queries, document)).filter(({ key }) => key.startsWith(keyOf(starts)));
    return { keywords: found.slice(0, limit).map(({ key: _, ...one }) => ({ ...one, documents: 1 })) };
  },
});

export const documentShow = defineOperation({
  name: 'document.show',
  summary: 'Show a document and its progress',
  role: 'reader',
  owner: ownerOfDocument,
  changes: false,
  input: one,
  output: z.strictObject({
    ...documentRow.shape,
    sources: z.strictObject({ total: z.int(), split: z.int(), failed: z.int() }),
    keywords: z.array(z.string()).max(20).describe('The most frequent, once it was read'),
  }),
  example: { document: someDocument },
  async handler({ engine }, { document }) {
    const queries = documentQueries(engine);
    const [row] = await toRows(queries, [await getDocument(queries, document)]);
    const counts = await queries
      .selectFrom('transcription_source as source')
      .select(({ fn }) => ['state', fn.countAll().as('count')])
      .where('document', '=', document)
      .groupBy('state')
      .execute();
    const of = (state?: string) =>
      counts.reduce(
        (sum, count) => sum + (state === undefined || count.state === state ? Number(count.count) : 0),
        0,
      );
    const { keywordsOf } = await import('../documents/document-keywords.ts');
    const keywords = (await keywordsOf(queries, document)).slice(0, 20).map(({ word }) => word);
    const sources = { total: of(), split: of('done'), failed: of('failed') };
    return { ...documentRow.parse(row), sources, keywords };
  },
});

/** Refuses a bad webhook address now, not when the document is finished. */
async function checkWebhook({ settings }: Engine, url: string): Promise<void> {
  const { checkUrl } = await import('../../engine/webhook/address-guard.ts');
  try {
    checkUrl(url, settings.webhook.allowPrivate);
  } catch (error) {
    throw new PismakError('invalid-input', `webhook: ${messageOf(error)}`, { cause: error });
  }
}

export const documentOperations: Operation[] = [
  documentCreate,
  documentAdd,
  documentSubmit,
  documentList,
  documentKeywords,
  documentShow,
  documentCancel,
  documentResume,
  documentRetry,
  documentDelete,
];
