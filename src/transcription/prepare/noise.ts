import type { Grey } from '../image/grey.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { median } from './median.ts';

/**
 * The grain of the paper as a standard deviation. Second differences in both directions ignore slopes and straight edges,
 * and their median ignores letters.
 */
export function grainOf({ data, width, height }: Grey): number {
  const counts = new Uint32Array(2048);
  let total = 0;
  for (let y = 1; y < height - 1; y += 3) {
    for (let x = 1; x < width - 1; x += 3) {
      const at = y * width + x;
      const up = at - width;
      const down = at + width;
      const corners =
        value(data, up - 1) + value(data, up + 1) + value(data, down - 1) + value(data, down + 1);
      const sides = value(data, up) + value(data, down) + value(data, at - 1) + value(data, at + 1);
      const difference = Math.abs(corners - 2 * sides + 4 * value(data, at));
      counts[difference] = (counts[difference] ?? 0) + 1;
      total++;
    }
  }
  let below = 0;
  let median = 0;
  for (; median < counts.length; median++) {
    below += counts[median] ?? 0;
    if (below * 2 >= total) break;
  }
  // The filter's norm is 6, and the median of a normal distribution's absolute values is 0.6745 deviations.
  return median / 6 / 0.6745;
}

function value(data: Uint8Array, at: number): number {
  return data[at] ?? 0;
}

/** Relative to the contrast between ink and paper. Less grain does less harm than smoothing (measured with Tesseract). */
const harmlessGrain = 0.1;
/** In shades. Grain this strong comes with specks, which only a median removes. */
const speckledGrain = 15;

/** The page without grain and specks; the same object if there is little of both. */
export async function smooth(image: Grey, grain: number, contrast: number): Promise<Grey> {
  // A black page has neither.
  if (grain <= harmlessGrain * contrast) return image;
  const { data: rough, width, height } = grain < speckledGrain ? image : median(image);
  const sharp = await loadSharp();
  const raw = sharp(rough, { raw: { width, height, channels: 1 } });
  const data = await raw.blur(1).toColourspace('b-w').raw().toBuffer();
  return { data: new Uint8Array(data.buffer, data.byteOffset, data.length), width, height };
}
