import { PismakError } from '../../engine/ground/errors.ts';
import type { Box } from '../page/page.ts';

export interface Size {
  width: number;
  height: number;
}

/** A part of an image and the requested size. */
export interface Cut {
  region: Box;
  size: Size;
}

/** Longest side of an image that is sent: 16 million pixels at most. Viewers read it in `info.json`. */
export const longestSent = 4096;

/**
 * Region and size as the Image API 3.0 writes them: `full`, `square` or `x,y,w,h`; `max`, `w,`, `,h`, `w,h` or `!w,h`. The region is
 * cut at the edge of the image.
 */
export function readCut(image: Size, wanted: { region: string; size: string }): Cut {
  const region = readRegion(image, wanted.region);
  return { region, size: readSize(region, wanted.size) };
}

/** The meaning of `max` for a region: its own size, or the largest that is sent. */
export function largestSent({ width, height }: Size): Size {
  return confined({ width, height }, { width: longestSent, height: longestSent });
}

function readRegion({ width, height }: Size, text: string): Box {
  if (text === 'full') return { left: 0, top: 0, width, height };
  if (text === 'square') {
    const side = Math.min(width, height);
    const middle = (length: number) => Math.floor((length - side) / 2);
    return { left: middle(width), top: middle(height), width: side, height: side };
  }
  const numbers = /^(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})$/.exec(text)?.slice(1).map(Number);
  if (!numbers) throw refused(`region ${text}: give full, square or x,y,w,h in pixels`);
  const [left = 0, top = 0, wide = 0, high = 0] = numbers;
  if (wide === 0 || high === 0 || left >= width || top >= height)
    throw refused(`region ${text} has no pixel of the image, which has ${width} x ${height}`);
  return { left, top, width: Math.min(wide, width - left), height: Math.min(high, height - top) };
}

function readSize(region: Size, text: string): Size {
  if (text === 'max') return largestSent(region);
  const [, within, wide, high] = /^(!?)(\d{0,9}),(\d{0,9})$/.exec(text) ?? [];
  if (
    wide === undefined ||
    high === undefined ||
    (wide === '' && high === '') ||
    wide === '0' ||
    high === '0'
  )
    throw refused(`size ${text}: give max, w, or ,h or w,h or !w,h in pixels`);
  const size = sizeFor(region, { isWithin: within === '!', wide, high });
  if (size.width > region.width || size.height > region.height)
    throw refused(`size ${text} is larger than the region; images are not enlarged`);
  if (Math.max(size.width, size.height) > longestSent)
    throw refused(`size ${text} is larger than ${longestSent} pixels; ask for tiles`);
  return size;
}

function sizeFor(region: Size, wanted: { isWithin: boolean; wide: string; high: string }): Size {
  const [width, height] = [Number(wanted.wide), Number(wanted.high)];
  const { isWithin } = wanted;
  if (wanted.high === '' && !isWithin)
    return { width, height: atLeastOne((region.height * width) / region.width) };
  if (wanted.wide === '' && !isWithin)
    return { width: atLeastOne((region.width * height) / region.height), height };
  if (wanted.wide === '' || wanted.high === '') throw refused('size !w,h needs both numbers');
  return isWithin ? confined(region, { width, height }) : { width, height };
}

/** The largest size within the frame with the same proportions, never enlarged. */
function confined(size: Size, frame: Size): Size {
  const scale = Math.min(1, frame.width / size.width, frame.height / size.height);
  return { width: atLeastOne(size.width * scale), height: atLeastOne(size.height * scale) };
}

function atLeastOne(length: number): number {
  return Math.max(1, Math.round(length));
}

function refused(message: string): PismakError {
  return new PismakError('invalid-input', message);
}
