import { PismakError } from '../../../engine/errors.ts';
import { type Converted, linksIn, longestText } from './converted.ts';

const mostPages = 5000;

/** The text of a PDF, page by page; empty if its pages are images. Its own process is the place for it: files of others may be hostile. */
export async function readPdf(bytes: Uint8Array): Promise<Converted> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    try {
      let text = '';
      const pages = Math.min(mostPages, document.getPageCount());
      for (let page = 0; page < pages && text.length < longestText; page += 1)
        text += `${tidy(document.getPage(page).getText())}\n\n`;
      const source = Buffer.from(bytes).toString('latin1');
      const named = [...source.matchAll(/\/URI\s*\((https?:[^)\\]{1,2000})\)/g)].map(([, url = '']) => url);
      return { kind: 'pdf', text: text.trim(), links: [...new Set([...named, ...linksIn(text)])] };
    } finally {
      document.destroy();
    }
  } catch (cause) {
    throw new PismakError('invalid-input', 'the PDF can not be read: it is broken or needs a password', {
      cause,
    });
  } finally {
    library.destroy();
  }
}

/** What the library writes for a hyphen that divides a word. */
const dividing = ['\u0002', '\ufffe'];

/** Words divided at the end of a line are put together; the library marks such hyphens. */
function tidy(text: string): string {
  let joined = text.replaceAll(/\r\n?/g, '\n');
  for (const mark of dividing) joined = joined.replaceAll(`${mark}\n`, '').replaceAll(mark, '');
  return joined
    .replaceAll('\0', '')
    .replaceAll(/[ \t]+\n/g, '\n')
    .toWellFormed()
    .trim();
}
