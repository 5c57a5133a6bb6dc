import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { describeImageFile } from '../image/open-image.ts';
import type { CutAnswer, CutQuestion } from './cutter-question.ts';
import type { Cut } from './image-request.ts';

/** The process in which pages are decoded for viewers. It remembers a few: a viewer asks for many tiles of the same page. */

interface Pixels {
  data: Buffer;
  width: number;
  height: number;
  channels: 1 | 3;
}

/** Ten colour scans of A4 at 300 dpi; the last one stays, whatever its size. */
const mostRemembered = 256 * 2 ** 20;
/** As the stages have it by default. */
const limits = { pixels: 150e6, bytes: 2 ** 30 };
const quality = 85;
const remembered = new Map<string, Pixels>();

answerQuestions<CutQuestion, CutAnswer>(async ({ hash, path, cut }) => {
  const known = remembered.get(hash);
  if (known) return { jpeg: await fromPixels(known, cut) };
  if (path === undefined) return { isUnknown: true };
  const { width, height } = await describeImageFile(path, limits);
  // A thumbnail is made four times as fast without all pixels, and rarely followed by another of the same page.
  const isThumbnail =
    cut.region.width === width && cut.region.height === height && cut.size.width * 4 <= width;
  if (isThumbnail) return { jpeg: await thumbnail(path, cut) };
  const pixels = await decode(path);
  remember(hash, pixels);
  return { jpeg: await fromPixels(pixels, cut) };
});

async function decode(path: string): Promise<Pixels> {
  const image = await upright(path);
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

async function thumbnail(path: string, { size }: Cut): Promise<Buffer> {
  const image = await upright(path);
  return image
    .resize({ ...size, fit: 'fill' })
    .toColourspace('srgb')
    .jpeg({ quality })
    .toBuffer();
}

async function upright(path: string) {
  const sharp = await loadSharp();
  // It was checked when it came.
  return sharp(path, { limitInputPixels: limits.pixels, failOn: 'none' })
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
