import type { Metadata, Sharp } from 'sharp';
import { messageOf } from '../../engine/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import type { Grey } from './grey.ts';
import type { ImageLimits } from './image-limits.ts';
import { loadSharp } from './load-sharp.ts';
import { foreignFormat, sourceFormat } from './source-format.ts';

export interface ImageFacts {
  format: 'png' | 'jpeg' | 'tiff' | 'webp';
  /** In pixels, after applying the EXIF orientation. */
  width: number;
  height: number;
  dpi?: number;
  /** More than one only in TIFF. */
  pages: number;
}

/** Reads only the header of an image, to refuse images that are too large before decoding. */
export async function describeImage(bytes: Uint8Array, limits: ImageLimits): Promise<ImageFacts> {
  const format = imageFormat(bytes, limits);
  const metadata = await (await open(bytes, 0)).metadata().catch(refuse);
  return factsOf(format, metadata, limits);
}

/** The image in greyscale, after applying the EXIF orientation, with white for transparency. */
export async function readGrey(bytes: Uint8Array, limits: ImageLimits): Promise<Grey & { dpi?: number }> {
  const format = imageFormat(bytes, limits);
  const image = await open(bytes, 0);
  const metadata = await image.metadata().catch(refuse);
  const { dpi } = factsOf(format, metadata, limits);
  const upright = metadata.hasAlpha ? image.autoOrient().flatten({ background: '#fff' }) : image.autoOrient();
  // Needed for grey images too: the library would convert them to colour on the way, at three times the cost.
  const { data, info } = await upright
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(refuse);
  const pixels = { data: new Uint8Array(data.buffer, data.byteOffset, data.length), ...sizeOf(info) };
  return dpi === undefined ? pixels : { ...pixels, dpi };
}

/** One page of a TIFF as a PNG that every program can show: 8 bits, grey or sRGB. Pages count from 0. */
export async function readTiffPage(
  bytes: Uint8Array,
  page: number,
  limits: ImageLimits,
): Promise<{ png: Buffer; width: number; height: number; dpi?: number }> {
  const image = await open(bytes, page);
  const facts = factsOf('tiff', await image.metadata().catch(refuse), limits);
  const upright = image.autoOrient().flatten({ background: '#fff' });
  const { data, info } = await (facts.dpi === undefined ? upright : upright.withDensity(facts.dpi))
    .png({ compressionLevel: 3 })
    .toBuffer({ resolveWithObject: true })
    .catch(refuse);
  return { png: data, ...sizeOf(info), ...(facts.dpi === undefined ? {} : { dpi: facts.dpi }) };
}

/** We check our pixel limit on the header; the library's own limit stays as a second guard. */
async function open(bytes: Uint8Array, page: number): Promise<Sharp> {
  const sharp = await loadSharp();
  return sharp(bytes, { page, failOn: 'truncated', limitInputPixels: 2e9, autoOrient: false });
}

function imageFormat(bytes: Uint8Array, limits: ImageLimits): ImageFacts['format'] {
  if (bytes.length === 0) throw new PermanentFailure('the file is empty');
  if (bytes.length > limits.bytes) {
    throw new PermanentFailure(
      `the file has ${megabytes(bytes.length)} MB; the limit is ${megabytes(limits.bytes)} MB`,
    );
  }
  const format = sourceFormat(bytes);
  if (format === undefined) {
    throw new PermanentFailure(`the file is not an image, PDF or ZIP; it is ${foreignFormat(bytes)}`);
  }
  if (format === 'pdf' || format === 'zip' || format === 'jp2') {
    throw new PermanentFailure(`a ${format.toUpperCase()} file must go through the stage \`split\` first`);
  }
  return format;
}

function factsOf(format: ImageFacts['format'], metadata: Metadata, limits: ImageLimits): ImageFacts {
  const turned = (metadata.orientation ?? 1) >= 5;
  const width = turned ? metadata.height : metadata.width;
  const height = turned ? metadata.width : metadata.height;
  if (width * height > limits.pixels) {
    throw new PermanentFailure(
      `the image has ${width} x ${height} pixels, which is ${Math.round((width * height) / 1e6)} million; ` +
        `the limit is ${Math.round(limits.pixels / 1e6)} million`,
    );
  }
  const dpi = plausibleDpi(metadata.density, Math.max(width, height));
  const pages = format === 'tiff' ? (metadata.pages ?? 1) : 1;
  return { format, width, height, pages, ...(dpi === undefined ? {} : { dpi }) };
}

/** Programs write 72 or 96 if they don't know. We ignore values that would make the page larger than 60 cm. */
function plausibleDpi(density: number | undefined, longest: number): number | undefined {
  if (density === undefined || density < 50 || density > 5000) return undefined;
  const isGuess = density === 72 || density === 96;
  return isGuess && longest / density > 24 ? undefined : density;
}

function sizeOf({ width, height }: { width: number; height: number }): { width: number; height: number } {
  return { width, height };
}

function refuse(error: unknown): never {
  const detail = messageOf(error).split('\n').at(-1)?.slice(0, 120) ?? '';
  throw new PermanentFailure(`the image is damaged or truncated (${detail}); scan or upload it again`);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
