import type { Bitmap, Component } from '../image/components.ts';
import type { Ink } from './ink.ts';
import { typeHeights } from './type-heights.ts';

/** Where no line may cross: 1 for paper between columns. */
export interface Gutters {
  data: Uint8Array;
  width: number;
}

/** All in heights of a small letter. Text further away than this is not beside the gutter. */
const reach = 14;
/** Gaps between words line up over a few lines by chance, narrow ones more often. */
const withinWords = 0.9;
const between = 0.4;
const neededRows = 28;

/** Wider gaps need fewer lines to stand out from gaps between words. */
function weightOf(gap: number): number {
  return gap >= 5 ? 4 : gap >= 3.2 ? 2 : gap >= 2.2 ? 1 : 0.55;
}

/**
 * Finds gutters: strips of paper with text on both sides, over more lines than gaps between words line up by chance. Printed rules between columns (`barrier`) count too.
 */
export function findGutters(
  { width, height, letter }: Ink,
  letters: readonly Component[],
  barrier: Uint8Array,
): Gutters {
  // Count only text: frames and stains stand beside everything.
  const words = drawn(letters, width, height, letter);
  const { gaps, sizes } = gapWidths(words, letter);
  const space = usualSpace(gaps, letter);
  const gutters = barrier.slice();
  for (let x = 0; x < width; x++) {
    let weight = 0;
    let first = -1;
    let last = -1;
    for (let y = 0; y <= height; y++) {
      const at = y * width + x;
      if (y < height && words.data[at] === 0) {
        const gap = gaps[at] as number;
        if (gap === 0) continue;
        // Lines of small type are lower, so the same number of lines takes fewer rows.
        weight += weightOf(gap / space) / sizeOf(sizes[at] as number);
        if (first < 0) first = y;
        last = y;
        continue;
      }
      if (weight >= neededRows * letter) markRun(gutters, gaps, { x, first, last, width, letter });
      weight = 0;
      first = -1;
    }
  }
  return { data: gutters, width };
}

/** Maximum gap between words, in heights of a small letter. */
const widestSpace = 1.8;

/** Marks a strip down the page, except rows where the gap is clearly narrower: there a line crosses it. */
function markRun(
  gutters: Uint8Array,
  gaps: Uint16Array,
  {
    x,
    first,
    last,
    width,
    letter,
  }: { x: number; first: number; last: number; width: number; letter: number },
): void {
  const found: number[] = [];
  for (let y = first; y <= last; y++) {
    const gap = gaps[y * width + x] as number;
    if (gap > 0) found.push(gap);
  }
  found.sort((one, other) => one - other);
  const usual = found[Math.floor(found.length * usualShare)] ?? 0;
  const least = Math.min(widestSpace * letter, narrower * usual);
  for (let y = first; y <= last; y++) {
    const gap = gaps[y * width + x] as number;
    if (gap === 0 || gap >= least) gutters[y * width + x] = 1;
  }
}

const usualShare = 0.3;
const narrower = 0.7;

/** Resolution of type sizes, in heights of a small letter. */
const step = 1 / 16;
/** Range of letter heights in the usual type, without and with ascenders. */
const usualHeights = [0.8, 1.8] as const;

/** Size of the type beside a gap, relative to the page's usual type. */
function sizeOf(height: number): number {
  const [least, most] = usualHeights;
  return Math.min(1, (height * step) / least) * Math.max(1, (height * step) / most);
}

/** Type size of both sides of a gap if both are small or both large; otherwise the usual size. */
function sharedSize(one: number, other: number): number {
  const [least, most] = [Math.min(one, other), Math.max(one, other)];
  const usual = 1 / step;
  return most < usual ? most : Math.max(usual, least);
}

/** Draws boxes of letters, slightly enlarged vertically so that lines of a column have no gap between them. Each has the size of the type around it. */
function drawn(letters: readonly Component[], width: number, height: number, letter: number): Bitmap {
  const data = new Uint8Array(width * height);
  const margin = Math.round(between * letter);
  for (const [one, usual] of typeHeights(letters, letter)) {
    const { left, top, width: across, height: down } = one;
    const size = Math.max(1, Math.min(255, Math.round(usual / letter / step)));
    for (let y = Math.max(0, top - margin); y < Math.min(height, top + down + margin); y++)
      data.fill(size, y * width + left, y * width + left + across);
  }
  return { data, width, height };
}

/**
 * For each pixel of paper, the width of the gap between ink on its left and right, and the size of the type beside it; 0 if either
 * is out of reach. Widths are scaled to the usual type size. Fills gaps within words with ink.
 */
function gapWidths(
  { data, width, height }: Bitmap,
  letter: number,
): { gaps: Uint16Array; sizes: Uint8Array } {
  const gaps = new Uint16Array(data.length);
  const sizes = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    let last = -1;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (data[at] === 0) continue;
      const gap = x - last - 1;
      if (last >= 0 && gap > 0 && gap <= 2 * reach * letter) {
        const size = sharedSize(data[at - gap - 1] as number, data[at] as number);
        const compared = Math.round(gap / sizeOf(size));
        if (compared <= Math.round(withinWords * letter)) data.fill(size, at - gap, at);
        else {
          gaps.fill(Math.max(1, compared), at - gap, at);
          sizes.fill(size, at - gap, at);
        }
      }
      last = x;
    }
  }
  return { gaps, sizes };
}

/** The usual width of a gap between words: typewriters leave more than printers. */
function usualSpace(gaps: Uint16Array, letter: number): number {
  const most = Math.ceil(widestWordSpace * letter);
  const counts = new Float64Array(most + 1);
  // Each pixel of a gap knows its width.
  for (const gap of gaps) if (gap > 0 && gap <= most) counts[gap] = (counts[gap] as number) + 1 / gap;
  let left = counts.reduce((sum, count) => sum + count, 0) / 2;
  for (let gap = 1; gap <= most; gap++) {
    left -= counts[gap] as number;
    if (left <= 0) return Math.max(letter, gap);
  }
  return letter;
}

const widestWordSpace = 4;

/** Whether a gutter lies between two places of a row. */
export function isDivided({ data, width }: Gutters, from: number, to: number, y: number): boolean {
  const row = Math.round(y) * width;
  for (let x = Math.max(0, Math.floor(from)); x < to; x++) if (data[row + x] === 1) return true;
  return false;
}
