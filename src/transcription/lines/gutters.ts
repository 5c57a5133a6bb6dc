import { type Bitmap, type Component, smear } from '../layout/components.ts';
import type { Ink } from './ink.ts';

/** Where no line may cross: 1 for paper between columns. */
export interface Gutters {
  data: Uint8Array;
  width: number;
}

/** All in heights of a small letter. Text further away than this is not beside the gutter. */
const reach = 14;
/** Gaps between words line up over a few lines by chance, and the narrower they are, the more. */
const withinWords = 0.9;
const between = 0.4;
const neededRows = 28;

/** The wider a gap compared with the usual one between words, the fewer lines it takes to tell it from such a one. */
function weightOf(gap: number): number {
  return gap >= 5 ? 4 : gap >= 3.2 ? 2 : gap >= 2.2 ? 1 : 0.55;
}

/**
 * Finds the paper between columns: strips down the page with text on both sides, over more lines than gaps between words would
 * line up. Printed rules between columns (`barrier`) count too.
 */
export function findGutters(
  { width, height, letter }: Ink,
  letters: readonly Component[],
  barrier: Uint8Array,
): Gutters {
  // Only text counts: frames and stains stand beside everything.
  const words = drawn(letters, width, height, Math.round(between * letter));
  smear(words, Math.round(withinWords * letter));
  const { data } = words;
  const gaps = gapWidths(words, Math.round(reach * letter));
  const space = usualSpace(gaps, letter);
  const gutters = barrier.slice();
  for (let x = 0; x < width; x++) {
    let weight = 0;
    let first = -1;
    let last = -1;
    for (let y = 0; y <= height; y++) {
      const at = y * width + x;
      if (y < height && data[at] === 0) {
        const gap = gaps[at] as number;
        if (gap === 0) continue;
        weight += weightOf(gap / space);
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

/** Up to this width, in heights of a small letter, a gap may be one between words. */
const widestSpace = 1.8;

/** Marks a strip down the page, but for rows where the gap is clearly narrower than elsewhere: there a line runs across it. */
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

/** Boxes of the letters, a little higher than they are: between two lines of a column is no gap. */
function drawn(letters: readonly Component[], width: number, height: number, margin: number): Bitmap {
  const data = new Uint8Array(width * height);
  for (const { left, top, width: across, height: down } of letters)
    for (let y = Math.max(0, top - margin); y < Math.min(height, top + down + margin); y++)
      data.fill(1, y * width + left, y * width + left + across);
  return { data, width, height };
}

/** For each pixel of paper, the width of the gap between ink to the left and to the right; 0 if either is out of reach. */
function gapWidths({ data, width, height }: Bitmap, most: number): Uint16Array {
  const gaps = new Uint16Array(data.length);
  for (let y = 0; y < height; y++) {
    let last = -1;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (data[at] !== 1) continue;
      const gap = x - last - 1;
      if (last >= 0 && gap > 0 && gap <= 2 * most) gaps.fill(gap, at - gap, at);
      last = x;
    }
  }
  return gaps;
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
