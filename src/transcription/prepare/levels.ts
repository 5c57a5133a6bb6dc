import type { Grey } from '../image/grey.ts';
import { type Histogram, histogramOf, meanBelow, otsu } from '../image/histogram.ts';

export interface Levels {
  black: number;
  white: number;
  /** Whether the other side of the sheet shows through. */
  ghost: boolean;
}

/**
 * The shades that should become black and white; undefined for a page with good contrast. Expects a page whose paper is
 * white everywhere, and a reduced image of it to look for ghosts.
 */
export function findLevels(image: Grey, small: Grey | undefined): Levels | undefined {
  const histogram = histogramOf(image.data, 5);
  const paper = otsu(histogram);
  const half = otsu(histogram, 0, paper);
  const ink = meanBelow(histogram, half);
  if (small && ghostsOf(small, 5) > 0.04) {
    // Slightly above the shade of the ghosts. Measured with Tesseract: lower values thin letters, higher ones keep ghosts.
    return { black: ink, white: commonest(histogram, half + 10, paper) + 12, ghost: true };
  }
  return ink > 60 ? { black: ink, white: Math.min(245, (paper + 255) / 2), ghost: false } : undefined;
}

/** Stretches shades in place: `black` and darker becomes black, `white` and lighter becomes white. */
export function stretch({ data }: Grey, black: number, white: number): void {
  const table = new Uint8Array(256);
  const range = Math.max(1, white - black);
  for (let shade = 0; shade < 256; shade++) {
    table[shade] = Math.max(0, Math.min(255, Math.round(((shade - black) * 255) / range)));
  }
  for (let at = 0; at < data.length; at++) data[at] = table[data[at] as number] as number;
}

/** The most common shade in the range, give or take a few. */
function commonest(histogram: Histogram, from: number, to: number): number {
  let best = to;
  let most = 0;
  for (let shade = from; shade < to; shade++) {
    const count = histogram.subarray(shade - 4, shade + 5).reduce((sum, one) => sum + one, 0);
    if (count > most) [best, most] = [shade, count];
  }
  return best;
}

/**
 * Pale pixels with no ink near them, relative to the ink. Text that shows through is between the lines too; pale edges and
 * hairlines of letters never are. Measured: 0.08 and more with ghosts, 0.001 and less without.
 */
function ghostsOf({ data, width, height }: Grey, reach: number): number {
  const histogram = histogramOf(data, 3);
  const paper = otsu(histogram);
  const ink = otsu(histogram, 0, paper) + 10;
  const near = new Uint8Array(data.length);
  let dark = 0;
  for (let y = 0; y < height; y++) {
    let next = y * width;
    for (let x = 0; x < width; x++) {
      if ((data[y * width + x] as number) >= ink) continue;
      dark++;
      const end = y * width + Math.min(width, x + reach + 1);
      // Skip pixels that earlier ink has already marked.
      for (next = Math.max(next, y * width + x - reach); next < end; next++) near[next] = 1;
    }
  }
  let lone = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const shade = data[y * width + x] as number;
      if (shade >= paper || shade < ink) continue;
      let row = Math.max(0, y - reach);
      const last = Math.min(height - 1, y + reach);
      while (row <= last && near[row * width + x] !== 1) row++;
      if (row > last) lone++;
    }
  }
  return lone / Math.max(1, dark);
}
