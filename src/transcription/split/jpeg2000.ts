import type { FileBytes } from '../image/file-bytes.ts';
import { checkPixels, type ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { checkCodestream, damaged } from './jpeg2000-codestream.ts';
import type { PdfSource } from './pdf/pdf-access.ts';
import { openPdf } from './pdf/pdf-document.ts';
import { writePdfAround } from './pdf/write-pdf.ts';

/**
 * Converts JPEG 2000 to PNG. The image library can't read it, but the PDF library can, because PDFs may contain such images.
 * So we wrap the image in a one-page PDF.
 */
export async function readJpeg2000(
  file: FileBytes,
  limits: ImageLimits,
): Promise<{ image: Uint8Array; width: number; height: number }> {
  const { width, height } = checkCodestream(file);
  checkPixels({ width, height }, limits);
  const onWhite = await render(wrap(file, width, height, 1), limits);
  if (onWhite.width !== width || onWhite.height !== height) throw damaged('its size is wrong');
  // The library paints nothing at all if it can't decode the image. So a white page is either white or not decoded.
  if (await isWhite(onWhite.image)) {
    const onBlack = await render(wrap(file, width, height, 0), limits);
    if (!(await isWhite(onBlack.image))) throw damaged('it could not be decoded');
  }
  return { image: onWhite.image, width, height };
}

async function render(source: PdfSource, limits: ImageLimits) {
  const pdf = await openPdf(source);
  // In this PDF a pixel is a point, and an inch has 72 points.
  const page = await pdf.page(0, { textLayer: false, dpi: 72, limits });
  pdf.close();
  return page;
}

async function isWhite(image: Uint8Array): Promise<boolean> {
  const sharp = await loadSharp();
  const { channels } = await sharp(image).stats();
  return channels.every(({ min }) => min === 255);
}

/** `paper` is the grey of the page below the image: 1 is white. */
function wrap(image: FileBytes, width: number, height: number, paper: 0 | 1): PdfSource {
  const page = `/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>`;
  const kind = '/Type/XObject/Subtype/Image/Filter/JPXDecode';
  const content = `${paper} g 0 0 ${width} ${height} re f q ${width} 0 0 ${height} 0 0 cm /I Do Q`;
  const objects = [
    { entries: '/Type/Catalog/Pages 2 0 R' },
    { entries: '/Type/Pages/Kids[3 0 R]/Count 1' },
    { entries: `/Type/Page/Parent 2 0 R${page}` },
    { entries: '', stream: Buffer.from(content) },
  ];
  const entries = `${kind}/Width ${width}/Height ${height}`;
  const { before, after } = writePdfAround(objects, entries, image.size);
  return [before, image, after];
}
