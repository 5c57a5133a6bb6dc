import { type Pdfium, withMemory } from '../../../formats/pdf/pdfium.ts';

export interface Scan {
  width: number;
  height: number;
  /** The resolution at which one pixel of the scan is one pixel of the page. */
  dpi: number;
  /** The original JPEG, if it can be extracted unchanged. */
  jpeg?: Uint8Array;
}

const kinds = { text: 1, path: 2, image: 3 } as const;
const invisible = 3;
/** Places in the scan are places on the page, if it covers all of it. */
const wholePage = 0.995;
/** A page with more objects than this is not a scan. */
const maxObjects = 20_000;

/** The one image that makes up the page, if any. Invisible text over it comes from earlier OCR and is ignored. */
export function findScan(pdfium: Pdfium, page: number): Scan | undefined {
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count < 1 || count > maxObjects) return undefined;
  const objects = Array.from({ length: count }, (_, index) => pdfium._FPDFPage_GetObject(page, index));
  const kindOf = (object: number) => pdfium._FPDFPageObj_GetType(object);
  const [image, ...more] = objects.filter((object) => kindOf(object) === kinds.image);
  if (image === undefined || more.length > 0) return undefined;
  const place = coverage(pdfium, page, image);
  const size = pixelSize(pdfium, image);
  if (!place || !size || place.share < 0.85) return undefined;
  const dpi = Math.round((Math.max(size.width, size.height) * 72) / Math.max(place.width, place.height));
  if (dpi < 50 || dpi > 1200) return undefined;
  const others = objects.filter((object) => object !== image);
  const alone = others.every(
    (object) => kindOf(object) === kinds.text && pdfium._FPDFTextObj_GetTextRenderMode(object) === invisible,
  );
  const jpeg =
    alone && place.share > wholePage && isUpright(pdfium, page, image)
      ? rawJpeg(pdfium, image, size)
      : undefined;
  return { ...size, dpi, ...(jpeg ? { jpeg } : {}) };
}

/** Size of the image on the page in points, and how much of the page it covers. */
function coverage(pdfium: Pdfium, page: number, image: number) {
  return withMemory(pdfium, 32, (at) => {
    if (!pdfium._FPDFPageObj_GetBounds(image, at, at + 4, at + 8, at + 12)) return undefined;
    if (!pdfium._FPDF_GetPageBoundingBox(page, at + 16)) return undefined;
    const [
      left = 0,
      bottom = 0,
      right = 0,
      top = 0,
      pageLeft = 0,
      pageTop = 0,
      pageRight = 0,
      pageBottom = 0,
    ] = pdfium.HEAPF32.subarray(at / 4, at / 4 + 8);
    const across = Math.min(right, pageRight) - Math.max(left, pageLeft);
    const down = Math.min(top, pageTop) - Math.max(bottom, pageBottom);
    const area = (pageRight - pageLeft) * (pageTop - pageBottom);
    // The page crops what hangs over its edge, so the scan can't be used unchanged.
    const whole = Math.max((right - left) * (top - bottom), area);
    return { width: right - left, height: top - bottom, share: whole > 0 ? (across * down) / whole : 0 };
  });
}

function pixelSize(pdfium: Pdfium, image: number): { width: number; height: number } | undefined {
  return withMemory(pdfium, 8, (at) => {
    if (!pdfium._FPDFImageObj_GetImagePixelSize(image, at, at + 4)) return undefined;
    const [width = 0, height = 0] = pdfium.HEAP32.subarray(at / 4, at / 4 + 2);
    return width > 0 && height > 0 ? { width, height } : undefined;
  });
}

function isUpright(pdfium: Pdfium, page: number, image: number): boolean {
  if (pdfium._FPDFPage_GetRotation(page) !== 0) return false;
  return withMemory(pdfium, 24, (at) => {
    if (!pdfium._FPDFPageObj_GetMatrix(image, at)) return false;
    const [a = 0, b = 0, c = 0, d = 0] = pdfium.HEAPF32.subarray(at / 4, at / 4 + 4);
    return a > 0 && d > 0 && Math.abs(b) < a * 0.001 && Math.abs(c) < d * 0.001;
  });
}

function rawJpeg(pdfium: Pdfium, image: number, size: { width: number; height: number }) {
  if (pdfium._FPDFImageObj_GetImageFilterCount(image) !== 1) return undefined;
  const filter = withMemory(pdfium, 32, (at) => {
    const length = pdfium._FPDFImageObj_GetImageFilter(image, 0, at, 32);
    return Buffer.from(pdfium.HEAPU8.subarray(at, at + Math.max(0, length - 1))).toString('latin1');
  });
  if (filter !== 'DCTDecode') return undefined;
  const length = pdfium._FPDFImageObj_GetImageDataRaw(image, 0, 0);
  return withMemory(pdfium, length, (at) => {
    pdfium._FPDFImageObj_GetImageDataRaw(image, at, length);
    const bytes = pdfium.HEAPU8.slice(at, at + length);
    return isPlainJpeg(bytes, size) ? bytes : undefined;
  });
}

/**
 * Grey or RGB, and of the size that the PDF says. For CMYK, the PDF defines the meaning of the channels, not the JPEG.
 */
function isPlainJpeg(bytes: Uint8Array, { width, height }: { width: number; height: number }): boolean {
  let at = 2;
  const short = (from: number) => ((bytes[from] ?? 0) << 8) | (bytes[from + 1] ?? 0);
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const isSame = short(at + 5) === height && short(at + 7) === width;
      return isSame && (bytes[at + 9] === 1 || bytes[at + 9] === 3);
    }
    at += 2 + short(at + 2);
  }
  return false;
}
