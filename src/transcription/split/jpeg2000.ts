import type { FileBytes } from '../image/file-bytes.ts';
import { checkPixels, type ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { type Codestream, checkCodestream, damaged } from './jpeg2000-codestream.ts';
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
  const image = checkCodestream(file);
  const { width, height } = image;
  checkPixels({ width, height }, limits);
  const onWhite = await render(wrap(file, image, 1), limits);
  if (onWhite.width !== width || onWhite.height !== height) throw damaged('its size is wrong');
  // The library paints nothing at all if it can't decode the image. So a white page is either white or not decoded.
  if (await isWhite(onWhite.image)) {
    const onBlack = await render(wrap(file, image, 0), limits);
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
function wrap(image: FileBytes, codestream: Codestream, paper: 0 | 1): PdfSource {
  const { width, height } = codestream;
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
  const head = codestream.isBare ? jp2Head(codestream) : Buffer.alloc(0);
  // The library needs it, and ignores a second one.
  const end = Buffer.from([0xff, 0xd9]);
  const { before, after } = writePdfAround(objects, entries, head.length + image.size + end.length);
  return [before, head, image, end, after];
}

/** What a JP2 file has before the codestream. Without it the library doesn't know what the components mean. */
function jp2Head({ width, height, components, depth }: Codestream): Buffer {
  const box = (kind: string, ...content: Uint8Array[]) => {
    const length = 8 + content.reduce((sum, part) => sum + part.length, 0);
    return Buffer.concat([number(length, 4), Buffer.from(kind, 'latin1'), ...content]);
  };
  const isGrey = components < 3;
  const image = [number(height, 4), number(width, 4), number(components, 2), number(depth, 1)];
  const isTransparent = components === (isGrey ? 2 : 4);
  // Channel, kind (0 a colour, 1 how opaque), and which colour: 0 is the whole image.
  const channels = Array.from({ length: components }, (_, index) =>
    isTransparent && index === components - 1 ? [index, 1, 0] : [index, 0, index + 1],
  );
  const meaning = [components, ...channels.flat()].map((value) => number(value, 2));
  return Buffer.concat([
    box('jP  ', Buffer.from('0d0a870a', 'hex')),
    box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1')),
    box(
      'jp2h',
      box('ihdr', ...image, Buffer.from([7, 0, 0])),
      box('colr', Buffer.from([1, 0, 0]), number(isGrey ? 17 : 16, 4)),
      ...(isTransparent ? [box('cdef', ...meaning)] : []),
    ),
    // Length zero: up to the end.
    Buffer.concat([number(0, 4), Buffer.from('jp2c')]),
  ]);
}

function number(value: number, length: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}
