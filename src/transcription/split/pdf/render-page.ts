import { PermanentFailure } from '../../../engine/processor/processor.ts';
import type { ImageLimits } from '../../image/image-limits.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { type Pdfium, withMemory } from './pdfium.ts';

/** Four bytes per pixel: blue, green, red, unused. */
const bgrx = 3;
/** Include annotations, and put red first, as the image library expects. */
const flags = 0x01 | 0x10;
/** Text can't be read below this. */
const lowestDpi = 70;

/** Renders a page at the resolution asked for, or the highest that the pixel limit allows. */
export async function renderPage(
  pdfium: Pdfium,
  page: number,
  wantedDpi: number,
  limits: ImageLimits,
  attempt: <Result>(call: () => Result) => Result,
): Promise<{ image: Uint8Array; width: number; height: number; dpi: number }> {
  const inches = {
    across: pdfium._FPDF_GetPageWidthF(page) / 72,
    down: pdfium._FPDF_GetPageHeightF(page) / 72,
  };
  const area = inches.across * inches.down;
  const dpi = Math.floor(Math.min(wantedDpi, Math.sqrt(limits.pixels / area)));
  if (!(area > 0) || dpi < lowestDpi) {
    const size = [inches.across, inches.down].map((side) => Math.round(side * 2.54));
    throw new PermanentFailure(`this page of the PDF is ${size.join(' x ')} cm, which can't be rendered`);
  }
  const width = Math.max(1, Math.round(inches.across * dpi));
  const height = Math.max(1, Math.round(inches.down * dpi));
  const sharp = await loadSharp();
  const pixels = attempt(() =>
    withMemory(pdfium, width * height * 4, (buffer) => {
      const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgrx, buffer, width * 4);
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
      pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
      pdfium._FPDFBitmap_Destroy(bitmap);
      return pdfium.HEAPU8.slice(buffer, buffer + width * height * 4);
    }),
  );
  const grey = isGrey(pixels);
  const picture = sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
  const image = await (grey ? picture.toColourspace('b-w') : picture)
    .withDensity(dpi)
    .png({ compressionLevel: 3 })
    .toBuffer();
  return { image, width, height, dpi };
}

function isGrey(pixels: Uint8Array): boolean {
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at] !== pixels[at + 1] || pixels[at] !== pixels[at + 2]) return false;
  }
  return true;
}
