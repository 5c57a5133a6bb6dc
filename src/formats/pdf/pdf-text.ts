import { PismakError } from '../../engine/ground/errors.ts';
import { type Converted, linksIn, longestText, trimLineEnds } from '../converted/converted.ts';
import { openPdfium, type Pdfium, passwordNeeded, withMemory } from './pdfium.ts';

const mostPages = 20_000;
const mostLinks = 20_000;

/** The text of a PDF, page by page; empty if its pages are images. Its own process is the place for it: files of others may be hostile. */
export async function readPdf(bytes: Uint8Array): Promise<Converted> {
  const pdfium = await openPdfium();
  try {
    return withMemory(pdfium, bytes.length, (memory) => {
      pdfium.HEAPU8.set(bytes, memory);
      const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
      if (document === 0) throw new NotOpened(pdfium._FPDF_GetLastError());
      return convert(pdfium, document);
    });
  } catch (cause) {
    const isLocked = cause instanceof NotOpened && cause.code === passwordNeeded;
    const why = isLocked ? 'it is encrypted with a password' : 'it is broken';
    throw new PismakError('invalid-input', `the PDF can not be read: ${why}`, { cause });
  }
}

class NotOpened extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`PDFium's error ${code}`);
    this.code = code;
  }
}

function convert(pdfium: Pdfium, document: number): Converted {
  let text = '';
  const links = new Set<string>();
  const pages = Math.min(mostPages, pdfium._FPDF_GetPageCount(document));
  for (let index = 0; index < pages && text.length < longestText; index += 1) {
    const page = pdfium._FPDF_LoadPage(document, index);
    text += `${tidy(textOf(pdfium, page))}\n\n`;
    if (links.size < mostLinks) for (const link of linksOf(pdfium, document, page)) links.add(link);
    pdfium._FPDF_ClosePage(page);
  }
  for (const link of linksIn(text)) links.add(link);
  const property = (name: string) => propertyOf(pdfium, document, name);
  return {
    kind: 'pdf',
    text: text.trim(),
    links: [...links],
    title: property('Title'),
    author: property('Author'),
    date: isoOf(property('CreationDate')),
  };
}

function textOf(pdfium: Pdfium, page: number): string {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) throw new Error('the text of a page cannot be loaded');
  try {
    const count = pdfium._FPDFText_CountChars(text);
    if (count <= 0) return '';
    return withMemory(pdfium, 2 * (count + 1), (memory) => {
      const length = pdfium._FPDFText_GetText(text, 0, count, memory);
      return utf16At(pdfium, memory, 2 * (length - 1));
    });
  } finally {
    pdfium._FPDFText_ClosePage(text);
  }
}

function utf16At(pdfium: Pdfium, address: number, length: number): string {
  return Buffer.from(pdfium.HEAPU8.buffer, address, Math.max(0, length)).toString('utf16le');
}

/** The longest address or title that is read. */
const room = 4096;

/** The addresses of a page's links, also of those that are packed or encrypted in the file. */
function linksOf(pdfium: Pdfium, document: number, page: number): string[] {
  const links: string[] = [];
  const at = (address: number) => Buffer.from(pdfium.HEAPU8.buffer, address, room);
  return withMemory(pdfium, 8 + room, (memory) => {
    at(memory).writeInt32LE(0, 0);
    while (links.length < mostLinks && pdfium._FPDFLink_Enumerate(page, memory, memory + 4) !== 0) {
      const action = pdfium._FPDFLink_GetAction(at(memory).readInt32LE(4));
      if (action === 0) continue;
      const length = pdfium._FPDFAction_GetURIPath(document, action, memory + 8, room);
      const address = length > room ? '' : at(memory + 8).toString('utf8', 0, Math.max(0, length - 1));
      if (/^https?:/i.test(address)) links.push(address);
    }
    return links;
  });
}

function propertyOf(pdfium: Pdfium, document: number, name: string): string | undefined {
  return withMemory(pdfium, 32 + room, (memory) => {
    pdfium.HEAPU8.set(Buffer.from(`${name}\0`), memory);
    const length = pdfium._FPDF_GetMetaText(document, memory, memory + 32, room);
    return length > room ? undefined : utf16At(pdfium, memory + 32, length - 2).trim() || undefined;
  });
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
