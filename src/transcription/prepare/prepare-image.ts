import { factorFor, type Grey } from '../image/grey.ts';
import { histogramOf, otsu } from '../image/histogram.ts';
import { type Step, type Transformation, turnAndScale } from '../page/transformation.ts';
import { sheetOf } from './borders.ts';
import { cleanShades, findShades } from './clean-shades.ts';
import { letterHeightOf } from './letter-height.ts';
import { stretch } from './levels.ts';
import { readOrientation } from './orientation.ts';
import type { PrepareConfig } from './prepare-config.ts';
import { reshape } from './reshape.ts';

export interface Prepared {
  png: Buffer;
  transformation: Transformation & { steps: Step[] };
  dpi?: number;
}

/** Makes a page easier to read; undefined if no change is needed. Overwrites the given pixels. */
export async function prepareImage(
  page: Grey & { dpi?: number },
  config: PrepareConfig,
): Promise<Prepared | undefined> {
  const isBilevel = hasOnlyBlackAndWhite(page);
  const letters = config.RESOLUTION ? letterHeightOf(page) : 0;
  const shades = findShades(page, factorFor(page, 1000), config);
  const reading = readOrientation(shades.small, shades.threshold, config.ORIENTATION === 'auto');
  const { page: clean, steps } = await cleanShades(page, shades, config, 'evident');
  if (config.BINARISE) {
    const limit = otsu(histogramOf(clean.data, 5));
    stretch(clean, limit - 1, limit);
    steps.push({ name: 'binarise', why: 'as configured' });
  }
  const { turn } = reading;
  if (turn !== 0) steps.push({ name: 'turn', why: `it lay turned by ${360 - turn} degrees` });
  const skew = config.DESKEW && Math.abs(reading.skew.angle) >= leastSkew ? reading.skew.angle : 0;
  if (skew !== 0) steps.push({ name: 'straighten', why: `the lines fell by ${skew} degrees` });
  const isGrainy = steps.some(({ name }) => name === 'grain');
  // Grain would be measured as tiny letters.
  const letterHeight = isGrainy ? reading.lines.letterHeight * shades.factor : letters;
  const lines = { count: reading.lines.count, height: reading.lines.letterHeight * shades.factor };
  const isTiny = letterHeight < smallest && agree(letterHeight, lines);
  const scale = config.RESOLUTION ? scaleFor(letterHeight, isTiny, page, isBilevel, config) : 1;
  if (scale !== 1) steps.push({ name: 'scale', why: `letters were ${letterHeight} pixels high` });
  if (steps.length === 0) return undefined;
  const sheet = shades.border && sheetOf(shades.border, shades.factor, page);
  const transformation = { ...turnAndScale(page, turn, -skew, scale), steps, ...(sheet && { sheet }) };
  const dpi = page.dpi === undefined ? undefined : Math.round(page.dpi * scale);
  const png = await reshape(clean, transformation, dpi);
  return { png, transformation, ...(dpi === undefined ? {} : { dpi }) };
}

/** Recognisers correct smaller skews themselves; from here on, columns run into each other. */
const leastSkew = 0.5;

/** Below this height in pixels, smaller letters are read worse; above the second one, larger letters are only slower. */
const smallest = 7;
const largest = 70;
/** Black-and-white letters are read better at this height, because reduction smooths their edges. */
const smoothHeight = 15;

/** Whether line heights confirm that letters are tiny: it may be grain. */
function agree(letterHeight: number, lines: { count: number; height: number }): boolean {
  return lines.count >= 3 ? lines.height < smallest * 1.6 : letterHeight >= smallest - 2;
}

function scaleFor(
  letterHeight: number,
  isTiny: boolean,
  { width, height, dpi }: Grey & { dpi?: number },
  isBilevel: boolean,
  config: PrepareConfig,
) {
  const wanted = config.LETTER_HEIGHT;
  let scale = 1;
  if (letterHeight === 0) scale = dpi !== undefined && dpi < 150 ? 250 / dpi : 1;
  else if (isTiny && letterHeight < wanted) scale = wanted / letterHeight;
  else if (isBilevel && letterHeight >= smoothHeight * 1.3)
    scale = Math.max(0.6, smoothHeight / letterHeight);
  else if (letterHeight > largest) scale = Math.max(0.25, (largest * 0.7) / letterHeight);
  const room = Math.sqrt((config.MAX_MEGAPIXELS * 1e6) / (width * height));
  return Math.round(Math.min(scale, 4, Math.max(1, room)) * 100) / 100;
}

function hasOnlyBlackAndWhite({ data }: Grey): boolean {
  const histogram = histogramOf(data, 7);
  const between = histogram.subarray(16, 240).reduce((sum, count) => sum + count, 0);
  return between * 7 < data.length * 0.002;
}
