import { loadSharp } from '../../image/load-sharp.ts';
import type { Page } from '../../page.ts';
import { type JpegHeader, readJpegHeader } from './jpeg-header.ts';
import { type Png, readPng } from './png-chunks.ts';

/** An image as embedded in a PDF. */
export interface PdfImage {
  /** The entries of its dictionary. */
  entries: string;
  content: Uint8Array;
}

export interface ImageOptions {
  /** JPEG quality, 1 to 100. */
  quality: number;
  /** Keep PNG, however large. */
  lossless: boolean;
}

/**
 * Embeds the image of a page with as little work as possible: JPEG and small PNG go in unchanged. Everything else becomes
 * JPEG, because a scan in grey or colour is ten times larger as PNG.
 */
export async function pdfImage(bytes: Uint8Array, page: Page, options: ImageOptions): Promise<PdfImage> {
  const jpeg = readJpegHeader(bytes);
  if (jpeg !== undefined && holdsJpeg(jpeg, page)) return fromJpeg(jpeg, bytes);
  const png = jpeg === undefined ? readPng(bytes) : undefined;
  const whole = png !== undefined && holdsPng(png) ? png : undefined;
  if (whole !== undefined && (options.lossless || isSmall(whole))) return fromPng(whole);
  const encoded = await encodeJpeg(bytes, options.quality);
  if (whole !== undefined && whole.data.length <= encoded.length) return fromPng(whole);
  const header = readJpegHeader(encoded);
  if (header === undefined) throw new Error('the image library wrote an invalid JPEG');
  return fromJpeg(header, encoded);
}

/** Not if it needs its EXIF orientation, which PDF readers ignore. */
function holdsJpeg(header: JpegHeader, page: Page): boolean {
  const upright = header.orientation === 1 && header.width === page.width && header.height === page.height;
  return upright && header.bits === 8 && (header.components === 1 || header.components === 3);
}

function fromJpeg(header: JpegHeader, content: Uint8Array): PdfImage {
  const space = header.components === 1 ? '/DeviceGray' : '/DeviceRGB';
  return {
    entries: `/Width ${header.width} /Height ${header.height} /ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode`,
    content,
  };
}

function holdsPng(png: Png): boolean {
  return !png.interlaced && !png.transparent && (png.colour !== 3 || png.palette.length > 0);
}

/** Black and white, or almost: at most one bit per pixel. */
function isSmall(png: Png): boolean {
  return png.bits === 1 || png.data.length * 8 <= png.width * png.height;
}

function fromPng(png: Png): PdfImage {
  const { width, height, bits, palette } = png;
  const colors = png.colour === 2 ? 3 : 1;
  const indexed = `[/Indexed /DeviceRGB ${palette.length / 3 - 1} <${palette.toString('hex')}>]`;
  const space = png.colour === 3 ? indexed : colors === 3 ? '/DeviceRGB' : '/DeviceGray';
  const filter = `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${colors} /BitsPerComponent ${bits} /Columns ${width} >>`;
  return {
    entries: `/Width ${width} /Height ${height} /ColorSpace ${space} /BitsPerComponent ${bits} ${filter}`,
    content: png.data,
  };
}

async function encodeJpeg(bytes: Uint8Array, quality: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const image = sharp(bytes, { sequentialRead: true });
  const { channels, hasAlpha } = await image.metadata();
  const grey = channels - (hasAlpha ? 1 : 0) < 3;
  return (
    image
      .autoOrient()
      .flatten({ background: 'white' })
      .toColourspace(grey ? 'b-w' : 'srgb')
      // Optimised tables would save 4 % of the size and cost 50 % more CPU.
      .jpeg({ quality, optimiseCoding: false })
      .toBuffer()
  );
}
