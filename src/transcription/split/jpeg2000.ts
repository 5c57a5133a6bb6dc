import { PermanentFailure } from '../../engine/processor/processor.ts';
import type { ImageLimits } from '../image/image-limits.ts';
import { openPdf } from './pdf/pdf-document.ts';
import { writePdf } from './pdf/write-pdf.ts';

/**
 * Converts JPEG 2000 to PNG. The image library can't read it, but the PDF library can, because PDFs may contain such images.
 * So we wrap the image in a one-page PDF.
 */
export async function readJpeg2000(
  bytes: Uint8Array,
  limits: ImageLimits,
): Promise<{ image: Uint8Array; width: number; height: number }> {
  const { width, height } = sizeOf(bytes);
  if (width * height > limits.pixels) {
    throw new PermanentFailure(
      `the image has ${width} x ${height} pixels; the limit is ${Math.round(limits.pixels / 1e6)} million`,
    );
  }
  const pdf = await openPdf(wrap(bytes, width, height));
  try {
    // In this PDF a pixel is a point, and an inch has 72 points.
    const page = await pdf.page(0, { textLayer: false, dpi: 72, limits });
    if (page.width !== width || page.height !== height) throw damaged();
    return { image: page.image, width, height };
  } finally {
    pdf.close();
  }
}

/** From the head of the codestream: marker SOC, then SIZ with the size and the offset of the image. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = buffer.indexOf(Buffer.from([0xff, 0x4f, 0xff, 0x51]));
  if (at < 0 || at + 24 > buffer.length) throw damaged();
  const number = (offset: number) => buffer.readUInt32BE(at + offset);
  const width = number(8) - number(16);
  const height = number(12) - number(20);
  if (width < 1 || height < 1) throw damaged();
  return { width, height };
}

function wrap(image: Uint8Array, width: number, height: number): Uint8Array {
  const page = `/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>`;
  const kind = '/Type/XObject/Subtype/Image/Filter/JPXDecode';
  return writePdf([
    { entries: '/Type/Catalog/Pages 2 0 R' },
    { entries: '/Type/Pages/Kids[3 0 R]/Count 1' },
    { entries: `/Type/Page/Parent 2 0 R${page}` },
    { entries: '', stream: Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`) },
    { entries: `${kind}/Width ${width}/Height ${height}`, stream: image },
  ]);
}

function damaged(): PermanentFailure {
  return new PermanentFailure('the JPEG 2000 image is damaged or truncated; scan or upload it again');
}
