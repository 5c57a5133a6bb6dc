import { open as openFile } from 'node:fs/promises';
import type { Metadata, SharpOptions } from 'sharp';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { damaged, decodeStrictly } from './decode-strictly.ts';
import type { Grey } from './grey.ts';
import { checkPixels, type ImageLimits } from './image-limits.ts';
import { loadSharp } from './load-sharp.ts';
import { foreignFormat, sourceFormat } from './source-format.ts';
import { withEndedTiffChain } from './tiff-chain.ts';
import { hasWrongChecksum } from './tiff-checksums.ts';

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
  const format = imageFormat(bytes, bytes.length, limits);
  return factsOf(format, await metadataOf(bytes, 0), limits);
}

/** The same for a file. */
export async function describeImageFile(path: string, limits: ImageLimits): Promise<ImageFacts> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    const format = imageFormat(buffer.subarray(0, bytesRead), size, limits);
    return factsOf(format, await metadataOf(path, 0), limits);
  } finally {
    await file.close();
  }
}

/** The image in greyscale, after applying the EXIF orientation, with white for transparency. Fails if any of it is damaged. */
export async function readGrey(bytes: Uint8Array, limits: ImageLimits): Promise<Grey & { dpi?: number }> {
  const format = imageFormat(bytes, bytes.length, limits);
  const input = whole(bytes, format);
  const metadata = await metadataOf(input, 0);
  const { dpi } = factsOf(format, metadata, limits);
  const { data, info } = await decodeStrictly(
    input,
    { ...optionsFor(0), isTiff: format === 'tiff' },
    (image) => {
      const upright = image.autoOrient();
      // Needed for grey images too: the library would convert them to colour on the way, at three times the cost.
      return (metadata.hasAlpha ? upright.flatten({ background: '#fff' }) : upright)
        .toColourspace('b-w')
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true });
    },
  );
  const pixels = { data: new Uint8Array(data.buffer, data.byteOffset, data.length), ...sizeOf(info) };
  return dpi === undefined ? pixels : { ...pixels, dpi };
}

/** Decodes an image only to check that it is complete. */
export async function checkImage(bytes: Uint8Array, limits: ImageLimits): Promise<void> {
  await readGrey(bytes, limits);
}

export async function countTiffPages(path: string): Promise<number> {
  return (await metadataOf(path, 0)).pages ?? 1;
}

/** One page of a TIFF as a PNG file that every program can show: 8 bits, grey or sRGB. Pages count from 0. */
export async function saveTiffPage(
  path: string,
  page: number,
  to: string,
  limits: ImageLimits,
): Promise<{ width: number; height: number; dpi?: number }> {
  const metadata = await metadataOf(path, page);
  const { dpi } = factsOf('tiff', metadata, limits);
  const png = metadata.bitsPerSample === 1 ? blackAndWhitePng : { compressionLevel: 3 };
  const info = await decodeStrictly(path, { ...optionsFor(page), isTiff: true }, (image) => {
    const upright = image.autoOrient().flatten({ background: '#fff' });
    return (dpi === undefined ? upright : upright.withDensity(dpi)).png(png).toFile(to);
  });
  // Four channels of 16 bits are the most that a page should have.
  if (hasWrongChecksum(path, page, 8 * info.width * info.height + 1024))
    throw damaged(new Error('a checksum is wrong'));
  return { ...sizeOf(info), ...(dpi === undefined ? {} : { dpi }) };
}

/** One bit a pixel: a quarter of the size. */
export const blackAndWhitePng = { palette: true, colours: 2, effort: 1, compressionLevel: 6 };

/** Repairs faults after the image data that keep the library from reading it. */
function whole(bytes: Uint8Array, format: ImageFacts['format']): Uint8Array {
  if (format === 'jpeg') return closeJpeg(bytes);
  return format === 'tiff' ? withEndedTiffChain(bytes) : bytes;
}

/** Our pixel limit is checked on the header; the library's own limit is a second guard. */
function optionsFor(page: number): SharpOptions {
  return { page, limitInputPixels: 2e9, autoOrient: false };
}

async function metadataOf(input: string | Uint8Array, page: number): Promise<Metadata> {
  const sharp = await loadSharp();
  try {
    return await sharp(input, { ...optionsFor(page), failOn: 'truncated' }).metadata();
  } catch (error) {
    throw damaged(error);
  }
}

/** `head` is at least the first kilobyte. */
function imageFormat(head: Uint8Array, size: number, limits: ImageLimits): ImageFacts['format'] {
  if (size === 0) throw new PermanentFailure('the file is empty');
  if (size > limits.bytes) {
    throw new PermanentFailure(
      `the file has ${megabytes(size)} MB; the limit is ${megabytes(limits.bytes)} MB`,
    );
  }
  const format = sourceFormat(head);
  if (format === undefined) {
    throw new PermanentFailure(`the file is not an image, PDF or ZIP; it is ${foreignFormat(head)}`);
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
  checkPixels({ width, height }, limits);
  const dpi = plausibleDpi(metadata.density, Math.max(width, height));
  const pages = format === 'tiff' ? (metadata.pages ?? 1) : 1;
  return { format, width, height, pages, ...(dpi === undefined ? {} : { dpi }) };
}

/** Programs write 72 or 96 for an unknown resolution. Ignore these if they would make the page larger than A3. */
function plausibleDpi(density: number | undefined, longest: number): number | undefined {
  if (density === undefined || density < 50 || density > 5000) return undefined;
  const isGuess = density === 72 || density === 96;
  return isGuess && longest / density > 17 ? undefined : density;
}

function sizeOf({ width, height }: { width: number; height: number }): { width: number; height: number } {
  return { width, height };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

const endMarker = Buffer.from([0xff, 0xd9]);

/**
 * Adds a missing end marker to a JPEG. Some scanners omit it, and the image library then reports a truncated file; with a marker
 * it complains only if data is really missing.
 */
function closeJpeg(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Other data may follow the image. A thumbnail near the start has an end marker too.
  if (view.lastIndexOf(endMarker) >= view.length / 2) return bytes;
  // Zeros are valid image data, but at the end of a file they remain from a broken copy.
  if (view.subarray(-emptyLength).every((byte) => byte === 0))
    throw new PermanentFailure('the image is truncated (its end is empty); scan or upload it again');
  return Buffer.concat([bytes, endMarker]);
}

const emptyLength = 64;
