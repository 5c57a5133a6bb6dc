import type { PdfImage } from './pdf-image.ts';

/**
 * The image in a one-page PDF from `searchablePdf`, to copy it into the PDF of a whole document without decoding. Undefined
 * if another program made the file.
 */
export function imageOfPagePdf(pdf: Uint8Array): PdfImage | undefined {
  const view = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const object = /^1 0 obj\n<< \/Type \/XObject \/Subtype \/Image (.*) \/Length (\d+) >>\nstream\n/;
  // Enough for a palette of 256 colours.
  const start = view.indexOf('1 0 obj\n', 0, 'latin1');
  if (start < 0 || start > 64) return undefined;
  const match = object.exec(view.toString('latin1', start, start + 4096));
  if (match === null) return undefined;
  const [head, entries = '', length = ''] = match;
  const content = view.subarray(start + head.length, start + head.length + Number(length));
  return content.length === Number(length) ? { entries, content } : undefined;
}
