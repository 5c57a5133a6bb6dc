import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { describeImage } from '../image/open-image.ts';
import type { CutAnswer, CutQuestion } from './cutter-question.ts';
import type { Cut } from './image-request.ts';

/** The process that decodes pages for viewers. It keeps a few decoded, because a viewer requests many tiles of one page. */

interface Pixels {
  data: Buffer;
  width: number;
  height: number;
  channels: 1 | 3;
}

/** Ten colour scans of A4 at 300 dpi. The latest is always kept, whatever its size. */
const mostRemembered = 256 * 2 ** 20;
/** The defaults of the stages. */
const limits = { pixels: 150e6, bytes: 2 ** 30 };
const quality = 85;
const remembered = new Map<string, Pixels>();

answerQuestions<CutQuestion, CutAnswer>(async ({ hash, cut }, image) => {
  const known = remembered.get(hash);
  if (known) return { jpeg: await fromPixels(known, cut) };
  if (image.length === 0) return { isUnknown: true };
  const { width, height } = await describeImage(image, limits);
  // Decoding at reduced size is four times as fast, and a thumbnail is rarely followed by tiles of the same page.
  const isThumbnail =
    cut.region.width === width && cut.region.height === height && cut.size.width * 4 <= width;
  if (isThumbnail) return { jpeg: await thumbnail(image, cut) };
  const pixels = await decode(image);
  remember(hash, pixels);
  return { jpeg: await fromPixels(pixels, cut) };
});

async function decode(bytes: Uint8Array): Promise<Pixels> {
  const image = await upright(bytes);
  const isGrey = (await image.metadata()).space === 'b-w';
  const { data, info } = await image
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels === 1 ? 1 : 3 };
}

async function fromPixels({ data, ...raw }: Pixels, { region, size }: Cut): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(data, { raw, limitInputPixels: false })
    .extract(region)
    .resize({ ...size, fit: 'fill' })
    .jpeg({ quality })
    .toBuffer();
}

async function thumbnail(bytes: Uint8Array, { size }: Cut): Promise<Buffer> {
  const image = await upright(bytes);
  return image
    .resize({ ...size, fit: 'fill' })
    .toColourspace('srgb')
    .jpeg({ quality })
    .toBuffer();
}

async function upright(bytes: Uint8Array) {
  const sharp = await loadSharp();
  // The image was checked when it was submitted.
  return sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'none' })
    .autoOrient()
    .flatten({ background: '#fff' });
}

function remember(hash: string, pixels: Pixels): void {
  remembered.set(hash, pixels);
  let size = remembered.values().reduce((sum, { data }) => sum + data.length, 0);
  for (const [other, { data }] of remembered) {
    if (size <= mostRemembered || other === hash) break;
    remembered.delete(other);
    size -= data.length;
  }
}
