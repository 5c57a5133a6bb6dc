import { z } from 'zod';
import type { OperationContext } from '../../engine/operation/operation.ts';
import type { Queries } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { type DocumentRow, documentStates, findDocument, pageStates } from '../documents/document.ts';
import type { ListedPage } from '../documents/page-list.ts';
import { countAllPages } from '../documents/progress.ts';
import { formats } from '../formats/output-formats.ts';

/** Input and output shared by several operations. Times are milliseconds since the epoch. */

export const documentId = z.string().min(1).max(100);

/** Names are for people and never used as paths. Excludes characters that databases can't store. */
export const name = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'it contains invalid characters; remove them',
  );

export const format = z.enum(formats);

/** From 0 to 1; null if unknown. */
const confidence = z.number().min(0).max(1).nullable();

export const pageCounts = z.strictObject({
  total: z.int(),
  waiting: z.int(),
  running: z.int(),
  done: z.int().describe('Read without doubt'),
  doubtful: z.int().describe('Read, but the recogniser was unsure'),
  noText: z.int().describe('No readable text was found'),
  failed: z.int(),
  cancelled: z.int(),
});

export const documentRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  state: z.enum(documentStates),
  priority: z.int(),
  pipeline: z.string(),
  language: z.string(),
  // Not `format`: a newer Pismak beside this one may have accepted further ones.
  formats: z.array(z.string()),
  pages: pageCounts,
  confidence: confidence.describe('Mean over the words of all pages'),
  createdAt: z.number(),
  submittedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
});
export type Document = z.infer<typeof documentRow>;

export const pageRow = z.strictObject({
  id: z.string(),
  number: z.int().describe('Counted from 1 through the whole document'),
  name: z.string(),
  part: z.int().nullable().describe('Within its source, counted from 1; null for a single image'),
  source: z.string(),
  state: z.enum(pageStates),
  error: z.string().nullable(),
  generation: z.int().describe('How many times it was sent to the stages'),
  confidence: confidence.describe('Mean over its words'),
  words: z.int().nullable(),
  doubtfulWords: z
    .int()
    .nullable()
    .describe('Words that the recogniser was unsure of; null if unknown, or read before version 0.3'),
  unreadLines: z
    .int()
    .nullable()
    .describe('Number of lines that look like text but were not read; null if unknown'),
  language: z.string().nullable().describe('Languages used for reading'),
  width: z.int().nullable().describe('Of its image, in pixels; null if unknown'),
  height: z.int().nullable(),
  thumbnail: z
    .string()
    .nullable()
    .describe('Address of a small image (document.thumbnail); null if the page has no image'),
  view: z.string().nullable().describe('Address of an image for the screen (document.view)'),
  endedAt: z.number().nullable(),
});

/** The row of a page in a document. */
export function toPageRow(document: string, { hasImage, ...page }: ListedPage): z.infer<typeof pageRow> {
  // By id, because numbers may shift.
  const query = new URLSearchParams({ document, page: page.id });
  const address = (verb: string) => (hasImage ? `/api/v1/document/${verb}?${query}` : null);
  return pageRow.parse({ ...page, thumbnail: address('thumbnail'), view: address('view') });
}

/** Numbers may shift while sources are being opened; ids don't. */
export const pageName = z
  .union([z.int().positive(), z.string().min(1).max(100)])
  .describe('Number or id of the page');

export const fileRow = z.strictObject({ name: z.string(), size: z.int(), hash: z.string() });

export async function toRows(queries: Queries, documents: readonly DocumentRow[]): Promise<Document[]> {
  const counts = await countAllPages(
    queries,
    documents.map(({ id }) => id),
  );
  return documents.map((document) => {
    const {
      subject: _,
      formatsJson,
      again: __,
      webhook: ___,
      textLayer: ____,
      resumed: _____,
      nameKey: ______,
      pageCount: _______,
      withoutText: ________,
      meanConfidence: _________,
      ...row
    } = document;
    const { confidence = null, ...pages } = counts.get(row.id) ?? {};
    return documentRow.parse({ ...row, formats: JSON.parse(formatsJson), pages, confidence });
  });
}

/** The owner of the document in the input. */
export async function ownerOfDocument(
  { engine }: OperationContext,
  { document }: { document: string },
): Promise<string | undefined> {
  return (await findDocument(documentQueries(engine), document))?.owner;
}
