import { factorFor, type Grey, reduce } from '../image/grey.ts';
import { histogramOf, meanBelow, otsu, percentile } from '../image/histogram.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { findBackground, flatten, paperOf } from './background.ts';
import { findBorder, whiten } from './borders.ts';
import { findLevels, stretch } from './levels.ts';
import { grainOf, smooth } from './noise.ts';
import { type QuarterTurn, readOrientation } from './orientation.ts';
import type { PrepareConfig } from './prepare-config.ts';
import { type Transformation, turnAndScale } from './transformation.ts';

export interface Prepared {
  png: Buffer;
  transformation: Transformation;
  dpi?: number;
  /** The steps taken, for the log. */
  steps: string[];
}

/** Makes a page easier to read; undefined if it needs no change. Overwrites the given pixels. */
export async function prepareImage(
  page: Grey & { dpi?: number },
  config: PrepareConfig,
): Promise<Prepared | undefined> {
  const steps: string[] = [];
  const factor = factorFor(page, 1000);
  const small = reduce(factor === 1 ? { ...page, data: page.data.slice() } : page, factor);
  const border = config.BORDERS ? findBorder(small) : undefined;
  if (border) {
    const paper = percentile(histogramOf(small.data), 0.8);
    whiten(small, border, 1, paper);
    whiten(page, border, factor, paper);
    steps.push(`border: ${(border.share * 100).toFixed(1)} % of the page was black`);
  }
  const background = findBackground(small, factor);
  const paper = paperOf(background);
  if (paper.darkest < nearlyWhite) flatten(small, { ...background, cell: background.cell / factor });
  const { threshold, contrast } = separate(small);
  const reading = readOrientation(small, threshold, config.ORIENTATION === 'auto');
  if (reading.turn !== 0) steps.push(`turned by ${reading.turn} degrees`);

  const grain = config.DENOISE ? grainOf(page) : 0;
  const clean = await smooth(page, grain, (contrast * paper.lightest) / 255);
  if (clean !== page) steps.push(`grain of ${grain.toFixed(0)} smoothed`);
  if (config.FLATTEN && paper.darkest < whiteEnough) {
    flatten(clean, background);
    steps.push(`paper whitened, it was ${paper.darkest} to ${paper.lightest} of 255`);
  }
  // Grain looks like ghosts, so grainy pages are not checked for them.
  const levels = config.CONTRAST ? findLevels(clean, clean === page ? small : undefined) : undefined;
  if (levels) {
    stretch(clean, levels.black, levels.white);
    steps.push(levels.ghost ? 'text from the other side removed' : 'contrast strengthened');
  }
  if (config.BINARISE) {
    const limit = otsu(histogramOf(clean.data, 5));
    stretch(clean, limit - 1, limit);
    steps.push('black and white only');
  }

  const skew = config.DESKEW && Math.abs(reading.skew.angle) >= leastSkew ? reading.skew.angle : 0;
  if (skew !== 0) steps.push(`straightened by ${skew} degrees`);
  const scale = config.RESOLUTION ? scaleFor(reading.lines.letterHeight * factor, page, config) : 1;
  if (scale !== 1) steps.push(`scaled by ${scale}`);
  if (steps.length === 0) return undefined;
  const transformation = turnAndScale(page, reading.turn, -skew, scale);
  const dpi = page.dpi === undefined ? undefined : Math.round(page.dpi * scale);
  const png = await encode(clean, reading.turn, transformation, skew, dpi);
  return { png, transformation, steps, ...(dpi === undefined ? {} : { dpi }) };
}

/** Paper of this shade needs no whitening. */
const whiteEnough = 225;
/** Paper of this shade doesn't even need whitening for the analysis. */
const nearlyWhite = 250;

/** The threshold of ink, and its contrast with white paper. */
function separate(flat: Grey): { threshold: number; contrast: number } {
  const histogram = histogramOf(flat.data, 3);
  const threshold = otsu(histogram);
  return { threshold, contrast: 255 - meanBelow(histogram, threshold) };
}

/** Tesseract reads lines with less skew than this just as well, and turning costs time and sharpness. */
const leastSkew = 0.1;

/** Below this height in pixels, smaller letters are read worse; above the second one, larger letters are only slower. */
const smallest = 11;
const largest = 45;

function scaleFor(
  letterHeight: number,
  { width, height, dpi }: Grey & { dpi?: number },
  config: PrepareConfig,
) {
  const wanted = config.LETTER_HEIGHT;
  let scale = 1;
  if (letterHeight === 0) scale = dpi !== undefined && dpi < 150 ? 250 / dpi : 1;
  else if (letterHeight < Math.min(smallest, wanted)) scale = wanted / letterHeight;
  else if (letterHeight > largest) scale = Math.max(0.25, (largest * 0.7) / letterHeight);
  const room = Math.sqrt((config.MAX_MEGAPIXELS * 1e6) / (width * height));
  return Math.round(Math.min(scale, 4, Math.max(1, room)) * 100) / 100;
}

async function encode(
  image: Grey,
  turn: QuarterTurn,
  { image: size, matrix }: Transformation,
  skew: number,
  dpi: number | undefined,
): Promise<Buffer> {
  const sharp = await loadSharp();
  let picture = sharp(image.data, { raw: { width: image.width, height: image.height, channels: 1 } });
  if (skew !== 0) {
    const { a, b, c, d } = matrix;
    const rows: [[number, number], [number, number]] = [
      [a, b],
      [c, d],
    ];
    picture = picture.affine(rows, { background: '#fff', interpolator: 'bicubic' });
  } else {
    if (turn !== 0) picture = picture.rotate(turn);
    if (size.width !== (turn % 180 === 0 ? image.width : image.height)) {
      picture = picture.resize({ ...size, fit: 'fill', kernel: 'cubic' });
    }
  }
  if (dpi !== undefined) picture = picture.withDensity(dpi);
  return picture.toColourspace('b-w').png({ compressionLevel: 1, adaptiveFiltering: false }).toBuffer();
}
