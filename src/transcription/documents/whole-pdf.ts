import type { Blobs } from '../../engine/blobs/blobs.ts';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Queries } from '../database/database.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { documentPdf, type PageFiles } from '../formats/pdf/document-pdf.ts';
import { files } from '../page/files.ts';
import type { DocumentRow } from './document.ts';
import { type ReadPage, readPagesOf } from './read-pages.ts';

/** One PDF/A of all pages that were read, made from the pages' own PDFs. */
export async function wholePdf(
  { blobs, queries }: { blobs: Blobs; queries: Queries },
  document: DocumentRow,
): Promise<AsyncIterable<Uint8Array>> {
  if (!(JSON.parse(document.formatsJson) as string[]).includes('pdf')) {
    const advice = 'submit it with the format `pdf` (--formats pdf)';
    throw new PismakError('conflict', `document ${document.id} has no PDFs of its pages; ${advice}`);
  }
  const pages = readPagesOf(queries, document.id);
  const first = await pages.next();
  if (first.done) throw new PismakError('conflict', `no page of document ${document.id} has been read`);

  async function* each(): AsyncGenerator<PageFiles> {
    for (let found = first; !found.done; found = await pages.next()) yield pageFiles(blobs, found.value);
  }
  const created = new Date(document.endedAt ?? document.createdAt);
  return documentPdf(each(), { title: document.name, created });
}

async function pageFiles(blobs: Blobs, page: ReadPage): Promise<PageFiles> {
  const [json, pdf] = [files.page, resultFiles.pdf].map((name) => page.files.get(name));
  if (!json || !pdf) throw new PismakError('conflict', `page ${page.number} has no PDF; retry it`);
  return {
    number: page.number,
    label: page.name,
    json: await readBlob(blobs, json.hash),
    pdf: await readBlob(blobs, pdf.hash),
  };
}
