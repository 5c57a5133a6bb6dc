import type { Bitmap } from '../image/components.ts';
import { factorFor, type Grey, reduce } from '../image/grey.ts';
import { histogramOf, meanBelow, otsu } from '../image/histogram.ts';
import { findBackground, flatten } from '../prepare/background.ts';
import { letterHeightOf } from '../prepare/letter-height.ts';

export interface Ink extends Bitmap {
  /** Pixels of the page per pixel of this bitmap, on each side. */
  factor: number;
  /** Height of letters such as x, in pixels of this bitmap. */
  letter: number;
}

/** Letter height for finding lines; larger letters only take longer. */
const wantedLetter = 9;
/** For pages with too few letters to measure. */
const longestSide = 1500;
/** Minimum shorter side, because the image may be a single line. */
const shortestSide = 40;
const guessedLetter = 8;
/** Maximum pixels of the bitmap; finding lines takes about six bytes per pixel. */
const mostPixels = 16e6;
/** Position between ink and paper up to which a shade counts as ink: includes faint letters, excludes grain. */
const faint = 0.54;

/** Separates ink from paper, with shadows evened out, at the smallest scale that shows letters. */
export function findInk(page: Grey): Ink {
  const measured = readableHeight(page);
  const guessed = Math.min(factorFor(page, longestSide), Math.min(page.width, page.height) / shortestSide);
  const wanted = Math.floor(measured > 0 ? measured / wantedLetter : guessed);
  const factor = Math.max(1, wanted, Math.ceil(Math.sqrt((page.width * page.height) / mostPixels)));
  const small = factor === 1 ? { ...page, data: page.data.slice() } : reduce(page, factor);
  flatten(small, findBackground(small, 1));
  const histogram = histogramOf(small.data, 3);
  const ink = meanBelow(histogram, otsu(histogram));
  // Paper is white by now. Thresholds beyond these mean that there is no ink or no paper.
  const threshold = Math.min(215, Math.max(90, ink + faint * (255 - ink)));
  const data = small.data;
  for (let at = 0; at < data.length; at++) data[at] = (data[at] as number) < threshold ? 1 : 0;
  const letter = measured > 0 ? measured / factor : guessedLetter;
  return { data, width: small.width, height: small.height, factor, letter };
}

/** Minimum letter height in pixels of the page. Anything lower can't be read: it is grain. */
const lowestLetter = 4.5;
const overGrain = 4;

/** The height of small letters; measured at a coarser scale if most apparent letters are grain. */
function readableHeight(page: Grey): number {
  const measured = letterHeightOf(page);
  if (measured === 0 || measured > lowestLetter) return measured;
  return letterHeightOf(reduce(page, overGrain)) * overGrain || measured;
}
