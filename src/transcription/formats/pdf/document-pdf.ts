import { PismakError } from '../../../engine/ground/errors.ts';
import { page as pageSchema } from '../../page/page.ts';
import { imageOfPagePdf } from './page-pdf-image.ts';
import { type PdfPage, searchablePdf } from './searchable-pdf.ts';

/** The files `page.json` and `page.pdf` of a page. */
export interface PageFiles {
  number: number;
  /** For the outline. */
  label?: string;
  json: Uint8Array;
  pdf: Uint8Array;
}

/**
 * Streams one searchable PDF of a whole document. It copies the images from the PDFs of the pages, so it costs little more
 * than reading them.
 */
export function documentPdf(
  pages: AsyncIterable<PageFiles> | Iterable<PageFiles>,
  about: { title: string; created: Date },
): AsyncGenerator<Buffer> {
  return searchablePdf(withImages(pages), about);
}

async function* withImages(pages: AsyncIterable<PageFiles> | Iterable<PageFiles>): AsyncGenerator<PdfPage> {
  for await (const { number, label, json, pdf } of pages) {
    const image = imageOfPagePdf(pdf);
    if (image === undefined) {
      const advice = 'download the PDFs of the pages, or use the processor `export`';
      throw new PismakError('conflict', `another program made the PDF of page ${number}; ${advice}`);
    }
    const page = pageSchema.parse(JSON.parse(Buffer.from(json).toString()));
    yield { page, image, ...(label !== undefined && { label }) };
  }
}
