import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { type Converted, linksIn, longestText, trimLineEnds } from '../converted/converted.ts';

const mostPages = 20_000;
const mostLinks = 20_000;

/** The text of a PDF, page by page; empty if its pages are images. Its own process is the place for it: files of others may be hostile. */
export async function readPdf(bytes: Uint8Array): Promise<Converted> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    try {
      // The package has no types for calls that it doesn't use itself.
      const { module: pdfium, documentIdx } = document as unknown as Opened;
      let text = '';
      const links = new Set<string>();
      const pages = Math.min(mostPages, document.getPageCount());
      for (let index = 0; index < pages && text.length < longestText; index += 1) {
        const page = document.getPage(index);
        const { pageIdx } = page as unknown as { pageIdx: number };
        text += `${tidy(page.getText())}\n\n`;
        if (links.size < mostLinks) for (const link of linksOf(pdfium, documentIdx, pageIdx)) links.add(link);
        pdfium._FPDF_ClosePage(pageIdx);
      }
      for (const link of linksIn(text)) links.add(link);
      const property = (name: string) => propertyOf(pdfium, documentIdx, name);
      return {
        kind: 'pdf',
        text: text.trim(),
        links: [...links],
        title: property('Title'),
        author: property('Author'),
        date: isoOf(property('CreationDate')),
      };
    } finally {
      document.destroy();
    }
  } catch (cause) {
    const why = /password/i.test(messageOf(cause)) ? 'it is encrypted with a password' : 'it is broken';
    throw new PismakError('invalid-input', `the PDF can not be read: ${why}`, { cause });
  } finally {
    library.destroy();
  }
}

/** Calls of PDFium (https://pdfium.googlesource.com/pdfium/+/main/public/). Numbers are addresses in its memory. */
interface Calls {
  HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _free(address: number): void;
  _FPDF_ClosePage(page: number): void;
  _FPDFLink_Enumerate(page: number, position: number, link: number): number;
  _FPDFLink_GetAction(link: number): number;
  _FPDFAction_GetURIPath(document: number, action: number, to: number, size: number): number;
  _FPDF_GetMetaText(document: number, name: number, to: number, size: number): number;
}

interface Opened {
  module: Calls;
  documentIdx: number;
}

/** The longest address or title that is read. */
const room = 4096;

/** The addresses of a page's links, also of those that are packed or encrypted in the file. */
function linksOf(pdfium: Calls, document: number, page: number): string[] {
  const links: string[] = [];
  const memory = pdfium._malloc(8 + room);
  const at = (address: number) => Buffer.from(pdfium.HEAPU8.buffer, address, room);
  try {
    at(memory).writeInt32LE(0, 0);
    while (links.length < mostLinks && pdfium._FPDFLink_Enumerate(page, memory, memory + 4) !== 0) {
      const action = pdfium._FPDFLink_GetAction(at(memory).readInt32LE(4));
      if (action === 0) continue;
      const length = pdfium._FPDFAction_GetURIPath(document, action, memory + 8, room);
      const address = length > room ? '' : at(memory + 8).toString('utf8', 0, Math.max(0, length - 1));
      if (/^https?:/i.test(address)) links.push(address);
    }
    return links;
  } finally {
    pdfium._free(memory);
  }
}

function propertyOf(pdfium: Calls, document: number, name: string): string | undefined {
  const memory = pdfium._malloc(32 + room);
  try {
    pdfium.HEAPU8.set(Buffer.from(`${name}\0`), memory);
    const length = pdfium._FPDF_GetMetaText(document, memory, memory + 32, room);
    const value = Buffer.from(pdfium.HEAPU8.buffer, memory + 32, room);
    return length > room
      ? undefined
      : value.toString('utf16le', 0, Math.max(0, length - 2)).trim() || undefined;
  } finally {
    pdfium._free(memory);
  }
}

/** D:20240505100000+02'00' */
function isoOf(date = ''): string | undefined {
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', zone = ''] =
    /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d)?/.exec(date) ?? [];
  if (year === undefined) return undefined;
  const time = hour === undefined ? '' : `T${hour}:${minute}:${second}${zone.replace(/^(...)'?/, '$1:')}`;
  return `${year}-${month}-${day}${time.replace('Z:', 'Z')}`;
}

/** What the library writes for a hyphen that divides a word. */
const dividing = ['\u0002', '\ufffe'];

/** Words divided at the end of a line are put together; the library marks such hyphens. */
function tidy(text: string): string {
  let joined = text.replaceAll(/\r\n?/g, '\n');
  for (const mark of dividing) joined = joined.replaceAll(`${mark}\n`, '').replaceAll(mark, '');
  return trimLineEnds(joined.replaceAll('\0', '')).toWellFormed().trim();
}
