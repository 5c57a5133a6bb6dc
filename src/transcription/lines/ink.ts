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

/** Lines are found in letters of this height; larger ones only take longer. */
const wantedLetter = 9;
/** For a page with too few letters to measure one. */
const longestSide = 1500;
/** The shorter side of what may be a single line must stay as high as its letters. */
const shortestSide = 40;
const guessedLetter = 8;
/** Of the bitmap; each takes about six bytes while lines are looked for. */
const mostPixels = 16e6;
/** How far from ink to paper a shade still counts as ink: faint letters should, grain should not. */
const faint = 0.54;

/** Ink and paper of a page, with shadows evened out, just large enough to see letters. */
export function findInk(page: Grey): Ink {
  const measured = readableHeight(page);
  const guessed = Math.min(factorFor(page, longestSide), Math.min(page.width, page.height) / shortestSide);
  const wanted = Math.floor(measured > 0 ? measured / wantedLetter : guessed);
  const factor = Math.max(1, wanted, Math.ceil(Math.sqrt((page.width * page.height) / mostPixels)));
  const small = factor === 1 ? { ...page, data: page.data.slice() } : reduce(page, factor);
  flatten(small, findBackground(small, 1));
  const histogram = histogramOf(small.data, 3);
  const ink = meanBelow(histogram, otsu(histogram));
  // Paper is white by now. Far from the middle there is no ink or no paper.
  const threshold = Math.min(215, Math.max(90, ink + faint * (255 - ink)));
  const data = small.data;
  for (let at = 0; at < data.length; at++) data[at] = (data[at] as number) < threshold ? 1 : 0;
  const letter = measured > 0 ? measured / factor : guessedLetter;
  return { data, width: small.width, height: small.height, factor, letter };
}

/** In pixels of the page. Lower letters can't be read: they are the grain of the paper. */
const lowestLetter = 4.5;
const overGrain = 4;

/** The height of small letters; that of larger things if most of what looks like letters is grain. */
function readableHeight(page: Grey): number {
  const measured = letterHeightOf(page);
  if (measured === 0 || measured > lowestLetter) return measured;
  return letterHeightOf(reduce(page, overGrain)) * overGrain || measured;
}
