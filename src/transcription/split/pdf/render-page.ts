import { PermanentFailure } from '../../../engine/processor/processor.ts';
import { type Pdfium, withMemory } from '../../../formats/pdf/pdfium.ts';
import { type ImageLimits, longestSide } from '../../image/image-limits.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { blackAndWhitePng } from '../../image/open-image.ts';

/** Four bytes per pixel: blue, green, red, unused. */
const bgrx = 3;
/** Include annotations, and put red first, as the image library expects. */
const flags = 0x01 | 0x10;
/** Text can't be read below this. */
const lowestDpi = 70;

/** Renders a page at the resolution asked for, or the highest that the limits allow. */
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
  const size = pixelsFor(inches, wantedDpi, limits);
  if (!size) {
    const sides = [inches.across, inches.down].map((side) => Math.round(side * 254) / 100);
    throw new PermanentFailure(`this page of the PDF is ${sides.join(' x ')} cm, which can't be rendered`);
  }
  const { width, height, dpi } = size;
  const { data, channels } = attempt(() => paint(pdfium, page, size));
  const sharp = await loadSharp();
  const picture = sharp(data, { raw: { width, height, channels } });
  const image = await (channels === 1 ? picture.toColourspace('b-w') : picture)
    .withDensity(dpi)
    .png(channels === 1 && isBlackAndWhite(data) ? blackAndWhitePng : { compressionLevel: 3 })
    .toBuffer();
  return { image, width, height, dpi };
}

/**
 * The size of a page in pixels. Undefined if it has none, or if its text would be too small to read within the limits. The
 * file decides what the sides are: they may be zero, negative, endless or no numbers.
 */
export function pixelsFor(
  { across, down }: { across: number; down: number },
  wantedDpi: number,
  limits: ImageLimits,
): { width: number; height: number; dpi: number } | undefined {
  if (!(across > 0 && down > 0 && Number.isFinite(across) && Number.isFinite(down))) return undefined;
  const byArea = Math.sqrt(limits.pixels / (across * down));
  let dpi = Math.floor(Math.min(wantedDpi, byArea, longestSide / across, longestSide / down));
  for (; dpi >= lowestDpi; dpi--) {
    const width = Math.round(across * dpi);
    const height = Math.round(down * dpi);
    if (width < 1 || height < 1) return undefined;
    // Rounding up may have crossed a limit.
    if (width * height <= limits.pixels && Math.max(width, height) <= longestSide)
      return { width, height, dpi };
  }
  return undefined;
}

/** The pixels of the page: grey if it has no colour. */
function paint(pdfium: Pdfium, page: number, { width, height }: { width: number; height: number }) {
  return withMemory(pdfium, width * height * 4, (buffer) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgrx, buffer, width * 4);
    if (bitmap === 0) throw new Error(`no bitmap of ${width} x ${height} pixels could be made`);
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
    pdfium._FPDFBitmap_Destroy(bitmap);
    // Packed straight from the library's memory: a copy of large pages would take another half gigabyte.
    return pack(pdfium.HEAPU8.subarray(buffer, buffer + width * height * 4));
  });
}

function pack(pixels: Uint8Array): { data: Uint8Array; channels: 1 | 3 } {
  const channels = isGrey(pixels) ? 1 : 3;
  const data = new Uint8Array((pixels.length / 4) * channels);
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    for (let channel = 0; channel < channels; channel++) data[to++] = pixels[from + channel] as number;
  }
  return { data, channels };
}

function isBlackAndWhite(pixels: Uint8Array): boolean {
  return pixels.every((value) => value === 0 || value === 255);
}

function isGrey(pixels: Uint8Array): boolean {
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at] !== pixels[at + 1] || pixels[at] !== pixels[at + 2]) return false;
  }
  return true;
}
