import { messageOf } from '../../../engine/errors.ts';
import { PermanentFailure } from '../../../engine/processor/processor.ts';
import type { ImageLimits } from '../../image/image-limits.ts';
import type { Page } from '../../page.ts';
import { readTextLayer } from './pdf-text.ts';
import { forgetPdfium, loadPdfium, type Pdfium } from './pdfium.ts';
import { renderPage } from './render-page.ts';
import { findScan } from './scan-of-page.ts';

export interface PdfPage {
  image: Uint8Array;
  width: number;
  height: number;
  dpi: number;
  text?: Page;
}

export interface PdfDocument {
  pages: number;
  /** Counted from 0. */
  page(index: number, wanted: { textLayer: boolean; dpi: number; limits: ImageLimits }): Promise<PdfPage>;
  close(): void;
}

export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  const pdfium = await loadPdfium();
  const address = pdfium._malloc(bytes.length);
  if (address === 0) throw new PermanentFailure('the PDF is too large to be opened: divide it');
  pdfium.HEAPU8.set(bytes, address);
  const document = attempt(() => pdfium._FPDF_LoadMemDocument(address, bytes.length, 0));
  if (document === 0) {
    const error = pdfium._FPDF_GetLastError();
    pdfium._free(address);
    throw new PermanentFailure(reasons[error] ?? reasons[3]);
  }
  const pages = pdfium._FPDF_GetPageCount(document);
  return {
    pages,
    async page(index, wanted) {
      const page = attempt(() => pdfium._FPDF_LoadPage(document, index));
      if (page === 0) throw new PermanentFailure('this page of the PDF is damaged');
      try {
        return await readPage(pdfium, page, wanted);
      } finally {
        pdfium._FPDF_ClosePage(page);
      }
    },
    close() {
      pdfium._FPDF_CloseDocument(document);
      pdfium._free(address);
    },
  };
}

/** By the library's numbers. */
const reasons: Record<number, string> & { 3: string } = {
  3: 'the PDF is damaged or cut short: export or send it again',
  4: 'the PDF is protected by a password: save a copy without it',
  5: 'the PDF is protected in a way that is not known here: save a copy without protection',
};

async function readPage(
  pdfium: Pdfium,
  page: number,
  { textLayer, dpi, limits }: { textLayer: boolean; dpi: number; limits: ImageLimits },
): Promise<PdfPage> {
  const scan = attempt(() => findScan(pdfium, page));
  const image = scan?.jpeg
    ? { image: scan.jpeg, width: scan.width, height: scan.height, dpi: scan.dpi }
    : await renderPage(pdfium, page, scan?.dpi ?? dpi, limits, attempt);
  const text = textLayer ? attempt(() => readTextLayer(pdfium, page, image)) : undefined;
  return text ? { ...image, text } : image;
}

/** What stops the library, such as memory that runs out, is the file's fault; the library is not used again. */
function attempt<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    forgetPdfium();
    throw new PermanentFailure(`the PDF could not be opened: ${messageOf(error)}`);
  }
}
