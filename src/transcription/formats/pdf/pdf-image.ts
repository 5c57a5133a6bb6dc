import { loadSharp } from '../../image/load-sharp.ts';
import { faxImage } from './fax-image.ts';
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
 * Embeds the image of a page with as little work as possible: JPEG and small PNG go in unchanged, and black and white as fax
 * (CCITT group 4), which loses nothing. Everything else becomes JPEG, because a scan in grey or colour is ten times larger as PNG.
 */
export async function pdfImage(bytes: Uint8Array, options: ImageOptions): Promise<PdfImage> {
  const jpeg = readJpegHeader(bytes);
  if (jpeg !== undefined && holdsJpeg(jpeg)) return fromJpeg(jpeg, bytes);
  const sharp = await loadSharp();
  const { bitsPerSample, orientation = 1, space } = await sharp(bytes).metadata();
  const png = jpeg === undefined && orientation === 1 ? readPng(bytes) : undefined;
  const whole = png !== undefined && holdsPng(png) ? png : undefined;
  if (bitsPerSample === 1 && (whole ? isBlackAndWhite(whole) : space === 'b-w')) {
    // The library can't write some images this way; PNG or JPEG always works.
    const fax = await faxImage(bytes).catch(() => undefined);
    if (fax && !(whole && whole.data.length <= fax.content.length)) return fax;
  }
  if (whole !== undefined && (options.lossless || isSmall(whole))) return fromPng(whole);
  const encoded = await encodeJpeg(bytes, options.quality);
  if (whole !== undefined && whole.data.length <= encoded.length) return fromPng(whole);
  const header = readJpegHeader(encoded);
  if (header === undefined) throw new Error('the image library wrote an invalid JPEG');
  return fromJpeg(header, encoded);
}

/** Grey or RGB. In CMYK, the meaning of the channels would have to be told. */
function holdsJpeg(header: JpegHeader): boolean {
  return header.bits === 8 && (header.components === 1 || header.components === 3);
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

function isBlackAndWhite({ colour, palette }: Png): boolean {
  return colour === 0 || (colour === 3 && ['000000ffffff', 'ffffff000000'].includes(palette.toString('hex')));
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
