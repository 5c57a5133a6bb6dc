import { messageOf } from '../../../engine/ground/errors.ts';
import { SpoiledProcess } from '../../../engine/processor/answer-questions.ts';
import { PermanentFailure } from '../../../engine/processor/processor.ts';
import { loadPdfium, type Pdfium } from '../../../formats/pdf/pdfium.ts';
import { checkPixels, type ImageLimits } from '../../image/image-limits.ts';
import type { Page } from '../../page/page.ts';
import { openAccess, type PdfSource } from './pdf-access.ts';
import { countLetters, readTextLayer } from './pdf-text.ts';
import { renderPage } from './render-page.ts';
import { findScan } from './scan-of-page.ts';

export interface PdfPage {
  image: Uint8Array;
  width: number;
  height: number;
  dpi: number;
  /** There is text on the page already, visible or not. */
  hasText?: boolean;
  text?: Page;
}

export interface PdfDocument {
  pages: number;
  /** Counted from 0. */
  page(index: number, wanted: { textLayer: boolean; dpi: number; limits: ImageLimits }): Promise<PdfPage>;
  close(): void;
}

/** The library caches what it reads until the document is closed, so we reopen it after so many pages or bytes of images. */
const atOnce = { pages: 32, bytes: 16 * 1024 * 1024 };

/** Its addresses have 32 bits. */
const largest = 2 ** 31;

/** Opens a PDF. Its parts are read when they are needed. */
export async function openPdf(source: PdfSource): Promise<PdfDocument> {
  const size = source.reduce((sum, part) => sum + ('size' in part ? part.size : part.length), 0);
  if (size >= largest) throw new PermanentFailure('the PDF is too large to open; split it');
  const pdfium = await loadPdfium();
  const access = openAccess(pdfium, source);
  const load = () => attempt(() => pdfium._FPDF_LoadCustomDocument(access.address, 0));
  let document = load();
  if (document === 0) {
    const error = pdfium._FPDF_GetLastError();
    access.close();
    throw new PermanentFailure(reasons[error] ?? reasons[3]);
  }
  const pages = attempt(() => pdfium._FPDF_GetPageCount(document));
  let taken = { pages: 0, bytes: 0 };
  return {
    pages,
    async page(index, wanted) {
      if (taken.pages >= atOnce.pages || taken.bytes >= atOnce.bytes) {
        taken = { pages: 0, bytes: 0 };
        pdfium._FPDF_CloseDocument(document);
        // Closes it only once, even if reopening fails.
        document = 0;
        document = load();
      }
      const page = attempt(() => pdfium._FPDF_LoadPage(document, index));
      if (page === 0) throw new PermanentFailure('this page of the PDF is damaged');
      const read = await readPage(pdfium, page, wanted);
      pdfium._FPDF_ClosePage(page);
      taken = { pages: taken.pages + 1, bytes: taken.bytes + read.image.length };
      return read;
    },
    close() {
      pdfium._FPDF_CloseDocument(document);
      access.close();
    },
  };
}

/** A scan with fewer letters has no text layer, but a stamp. */
const lettersOfScan = 50;

/** By error number of the library. */
const reasons: Record<number, string> & { 3: string } = {
  3: 'the PDF is damaged or truncated; export or upload it again',
  4: 'the PDF is password-protected; save a copy without a password',
  5: 'the PDF uses an unsupported kind of protection; save a copy without protection',
};

async function readPage(
  pdfium: Pdfium,
  page: number,
  { textLayer, dpi, limits }: { textLayer: boolean; dpi: number; limits: ImageLimits },
): Promise<PdfPage> {
  const scan = attempt(() => findScan(pdfium, page));
  if (scan?.jpeg) checkPixels(scan, limits);
  const image = scan?.jpeg
    ? { image: scan.jpeg, width: scan.width, height: scan.height, dpi: scan.dpi }
    : await renderPage(pdfium, page, scan?.dpi ?? dpi, limits, attempt);
  // Scans often bear the name of a library as text.
  const enough = scan ? lettersOfScan : 1;
  const hasText = attempt(() => countLetters(pdfium, page, enough)) >= enough;
  const text = textLayer && hasText ? attempt(() => readTextLayer(pdfium, page, image)) : undefined;
  return { ...image, hasText, ...(text ? { text } : {}) };
}

/** A crash of the library, e.g. out of memory, counts as the file's fault. Its memory can't be trusted afterwards. */
function attempt<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (error instanceof PermanentFailure) throw error;
    throw new SpoiledProcess(`the PDF could not be opened: ${messageOf(error)}`);
  }
}
