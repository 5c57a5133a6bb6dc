import { z } from 'zod';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { blobHash, page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { checkPriority } from '../../engine/request/priority.ts';
import { ownedName } from '../../engine/stage/owned-name.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { defaultPipeline, documentStates, getDocument, subjectOf } from '../documents/document.ts';
import { qualities } from '../documents/page-quality.ts';
import { guessed, languageNames } from '../recognise/language.ts';
import { documentId, documentRow, format, name, ownerOfDocument, toRows } from './rows.ts';

const someDocument = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';
const language = z
  .string()
  .regex(languageNames, 'use the language names of Tesseract, e.g. ces, ces+deu or Fraktur; or auto')
  .describe('Languages by their Tesseract names, e.g. ces+deu; auto: guess the language of each page');
const one = z.strictObject({ document: documentId });
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
    state: z.enum(documentStates).optional().describe('Only documents in this state'),
    name: name.optional().describe('Only documents with exactly this name'),
    has: z.enum(qualities).optional().describe('Only documents with such pages'),
    offset: page.offset,
    limit: page.limit.unwrap().max(200).default(100),
  }),
  output: z.strictObject({ documents: z.array(documentRow) }),
  example: { limit: 10 },
  async handler({ engine, caller }, { state, name, has, offset, limit }) {
    let query = documentQueries(engine).selectFrom('transcription_document as document').selectAll();
    if (caller.role !== 'admin') query = query.where('owner', '=', caller.name);
    if (state !== undefined) query = query.where('state', '=', state);
    if (name !== undefined) query = query.where('name', '=', name);
    if (has !== undefined)
      query = query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('transcription_page as page')
            .select('page.id')
            .whereRef('page.document', '=', 'document.id')
            .where('page.quality', '=', has),
        ),
      );
    const rows = await query.orderBy('id', 'desc').offset(offset).limit(limit).execute();
    return { documents: await toRows(documentQueries(engine), rows) };
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
    return { ...documentRow.parse(row), sources: { total: of(), split: of('done'), failed: of('failed') } };
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
  documentShow,
  documentCancel,
  documentResume,
  documentRetry,
  documentDelete,
];
