import { type Grey, reduce } from '../image/grey.ts';
import { histogramOf, meanBelow, otsu, percentile } from '../image/histogram.ts';
import type { Step } from '../page/transformation.ts';
import { type Background, findBackground, flatten, paperOf } from './background.ts';
import { type Border, findBorder, whiten } from './borders.ts';
import { findLevels, stretch } from './levels.ts';
import { grainOf, smooth } from './noise.ts';
import type { PrepareConfig } from './prepare-config.ts';

export interface Shades {
  factor: number;
  /** The reduced page without border and shadows, for finding lines and letters. */
  small: Grey;
  /** The first shade that is not ink in `small`. */
  threshold: number;
  contrast: number;
  border: Border | undefined;
  background: Background;
  paper: { darkest: number; lightest: number };
  /** Pixels that a single threshold misclassifies, relative to the ink; above 1 if the paper is dark in places. */
  misjudged: number;
}

/** Looks at ink, paper and border of a page, in a reduced image. */
export function findShades(page: Grey, factor: number, config: Pick<PrepareConfig, 'BORDERS'>): Shades {
  const small = reduce(factor === 1 ? { ...page, data: page.data.slice() } : page, factor);
  const border = config.BORDERS ? findBorder(small) : undefined;
  if (border) whiten(small, border, 1, percentile(histogramOf(small.data), 0.8));
  const before = small.data.slice();
  const background = findBackground(small, factor);
  const paper = paperOf(background);
  if (paper.darkest < nearlyWhite) flatten(small, { ...background, cell: background.cell / factor });
  const histogram = histogramOf(small.data, 3);
  const threshold = otsu(histogram);
  const misjudged = differences(before, otsu(histogramOf(before, 3)), small.data, threshold);
  const contrast = 255 - meanBelow(histogram, threshold);
  return { factor, small, threshold, contrast, border, background, paper, misjudged };
}

/** Paper of this shade needs no whitening. */
const whiteEnough = 225;
/** Paper of this shade doesn't even need whitening for the analysis. */
const nearlyWhite = 250;
/** Up to here a single threshold, as recognisers use it, is good enough. */
const rarelyMisjudged = 0.2;
/** Recognisers handle a narrower border themselves. */
const muchBorder = 0.03;

function differences(one: Uint8Array, limit: number, other: Uint8Array, otherLimit: number): number {
  let differ = 0;
  let ink = 0;
  for (let at = 0; at < one.length; at++) {
    const isInk = (other[at] as number) < otherLimit;
    if (isInk) ink++;
    if (isInk !== (one[at] as number) < limit) differ++;
  }
  return differ / Math.max(1, ink);
}

/** `evident`: only steps with clear evidence. `thorough`: also steps that may help a badly read page. `ghosts`: also removes text that shows through from the other side, which thins letters. */
export type Care = 'evident' | 'thorough' | 'ghosts';

/** Cleans border, grain, paper and ink. Overwrites the given pixels. */
export async function cleanShades(
  page: Grey,
  shades: Shades,
  config: PrepareConfig,
  care: Care,
): Promise<{ page: Grey; steps: Step[] }> {
  const steps: Step[] = [];
  const { border, background, paper, contrast, factor, misjudged } = shades;
  if (border && (care !== 'evident' || border.share > muchBorder)) {
    whiten(page, border, factor, percentile(histogramOf(page.data, 7), 0.8));
    steps.push({ name: 'border', why: `${percent(border.share)} of the page was black around the sheet` });
  }
  const grain = config.DENOISE ? grainOf(page) : 0;
  const clean = await smooth(page, grain, (contrast * paper.lightest) / 255);
  if (clean !== page)
    steps.push({ name: 'grain', why: `the paper had a grain of ${grain.toFixed(0)} shades` });
  // Smoothing fades the ink, so the other steps are needed too.
  const thoroughly = care !== 'evident' || clean !== page;
  const isWhite = paper.darkest >= whiteEnough;
  const whitens = config.FLATTEN && !isWhite && (thoroughly || misjudged > rarelyMisjudged);
  if (whitens) {
    flatten(clean, background);
    const why = `the paper was ${paper.darkest} to ${paper.lightest} of 255; one threshold would misjudge ${shareOfInk(misjudged)}`;
    steps.push({ name: 'paper', why });
  }
  // Grain looks like ghosts, so grainy pages are not checked for them.
  const mayHaveGhosts = care === 'ghosts' && clean === page;
  const levels =
    config.CONTRAST && thoroughly && (isWhite || whitens)
      ? findLevels(clean, mayHaveGhosts ? shades.small : undefined)
      : undefined;
  if (levels) {
    stretch(clean, levels.black, levels.white);
    steps.push(
      levels.ghost
        ? { name: 'other side', why: 'pale text stood between the lines' }
        : { name: 'contrast', why: `the ink was no darker than ${levels.black.toFixed(0)} of 255` },
    );
  }
  return { page: clean, steps };
}

/** On a page with hardly any ink, this would be millions of per cent. */
function shareOfInk(misjudged: number): string {
  return misjudged <= 1 ? `${percent(misjudged)} of the ink` : 'more of the page than the ink covers';
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
