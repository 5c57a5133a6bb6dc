import { closeSync, openSync, readSync, statSync } from 'node:fs';
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

/** The library caches what it reads until the document is closed, so we reopen it after this many pages. */
const pagesAtOnce = 32;

/** Opens a PDF from a file, or from bytes in memory. */
export async function openPdf(source: string | Uint8Array): Promise<PdfDocument> {
  const pdfium = await loadPdfium();
  const size = typeof source === 'string' ? statSync(source).size : source.length;
  const address = pdfium._malloc(size);
  if (address === 0) throw new PermanentFailure('the PDF is too large to open; split it');
  if (typeof source === 'string') readInto(pdfium.HEAPU8.subarray(address, address + size), source);
  else pdfium.HEAPU8.set(source, address);
  const load = () => attempt(() => pdfium._FPDF_LoadMemDocument(address, size, 0));
  let document = load();
  if (document === 0) {
    const error = pdfium._FPDF_GetLastError();
    pdfium._free(address);
    throw new PermanentFailure(reasons[error] ?? reasons[3]);
  }
  const pages = pdfium._FPDF_GetPageCount(document);
  let taken = 0;
  return {
    pages,
    async page(index, wanted) {
      if (taken++ === pagesAtOnce) {
        taken = 1;
        pdfium._FPDF_CloseDocument(document);
        // Closes it only once, even if reopening fails.
        document = 0;
        document = load();
      }
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

/** Reads without a second copy, and synchronously: the library's memory moves when it grows. */
function readInto(memory: Uint8Array, path: string): void {
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < memory.length; ) {
      const read = readSync(file, memory, done, memory.length - done, done);
      if (read === 0) throw new Error(`${path} became shorter while it was read`);
      done += read;
    }
  } finally {
    closeSync(file);
  }
}

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
  const image = scan?.jpeg
    ? { image: scan.jpeg, width: scan.width, height: scan.height, dpi: scan.dpi }
    : await renderPage(pdfium, page, scan?.dpi ?? dpi, limits, attempt);
  const text = textLayer ? attempt(() => readTextLayer(pdfium, page, image)) : undefined;
  return text ? { ...image, text } : image;
}

/** A crash of the library, e.g. out of memory, counts as the file's fault. That instance is not used again. */
function attempt<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    forgetPdfium();
    throw new PermanentFailure(`the PDF could not be opened: ${messageOf(error)}`);
  }
}
