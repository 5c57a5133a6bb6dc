import { z } from 'zod';
import type { BlobReference } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineStream, type StreamOperation } from '../../engine/operation/stream-operation.ts';
import { documentQueries } from '../database/database.ts';
import { getDocument } from '../documents/document.ts';
import { documentId, ownerOfDocument, pageName } from './rows.ts';

const someDocument = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';

export const documentFile = defineStream({
  name: 'document.file',
  summary: 'Download a result of a page',
  role: 'reader',
  owner: ownerOfDocument,
  input: z.strictObject({
    document: documentId,
    page: pageName,
    file: z.string().min(1).max(1000).describe('Name from document.results, e.g. text.txt'),
  }),
  example: { document: someDocument, page: 1, file: 'text.txt' },
  version: async ({ engine }, wanted) => (await fileOfPage(engine, wanted)).hash,
  async open({ engine }, wanted) {
    const [{ kindOf }, { name, hash, size }] = await Promise.all([
      import('../documents/archive.ts'),
      fileOfPage(engine, wanted),
    ]);
    return { content: engine.blobs.get(hash), size, type: kindOf(name).mediaType, fileName: name };
  },
});

async function fileOfPage(
  engine: Engine,
  { document, page: named, file }: { document: string; page: number | string; file: string },
): Promise<BlobReference & { name: string }> {
  const [{ filesOf }, { findPage }] = await Promise.all([
    import('../documents/page-list.ts'),
    import('../documents/page-numbers.ts'),
  ]);
  const queries = documentQueries(engine);
  const page = await findPage(queries, document, named);
  const files: readonly (BlobReference & { name: string })[] =
    page === undefined ? [] : ((await filesOf(queries, [page])).get(page) ?? []);
  const found = files.find(({ name }) => name === file);
  if (found) return found;
  const names = files.map(({ name }) => name).join(', ') || 'none';
  throw new PismakError('not-found', `page ${named} has no file ${file}; it has: ${names}`);
}

export const documentArchive = defineStream({
  name: 'document.archive',
  heavy: true,
  summary: 'Download a document as one ZIP: the images and results of its pages, with METS',
  role: 'reader',
  owner: ownerOfDocument,
  input: z.strictObject({
    document: documentId,
    images: z.boolean().default(true).describe('Include the images of the pages'),
  }),
  example: { document: someDocument, images: true },
  async open({ engine }, { document: id, images }) {
    const { documentArchive: archiveOf } = await import('../documents/archive.ts');
    const document = await getDocument(documentQueries(engine), id);
    const content = archiveOf({ blobs: engine.blobs, queries: documentQueries(engine) }, document, {
      images,
    });
    return { content, type: 'application/zip', fileName: `${document.name}.zip` };
  },
});

export const documentPdf = defineStream({
  name: 'document.pdf',
  heavy: true,
  summary:
    'Download a document as one PDF/A (it needs the format pdf), or a PDF as submitted, with text added',
  role: 'reader',
  owner: ownerOfDocument,
  input: z.strictObject({
    document: documentId,
    source: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Id of a PDF from document.sources: the same file, with a text layer on pages that had no text',
      ),
  }),
  example: { document: someDocument },
  async open({ engine }, { document: id, source }) {
    const queries = documentQueries(engine);
    const stores = { blobs: engine.blobs, queries };
    const document = await getDocument(queries, id);
    if (source !== undefined) {
      const { originalPdf } = await import('../documents/original-pdf.ts');
      const { name, content } = await originalPdf(stores, document, source);
      return { content, type: 'application/pdf', fileName: name };
    }
    const { wholePdf } = await import('../documents/whole-pdf.ts');
    const content = await wholePdf(stores, document);
    return { content, type: 'application/pdf', fileName: `${document.name}.pdf` };
  },
});

export const transcriptionStreams: StreamOperation[] = [documentFile, documentArchive, documentPdf];
