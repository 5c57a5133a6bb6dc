import { factorFor, type Grey } from '../image/grey.ts';
import { findShades } from '../prepare/clean-shades.ts';

/** Two upright pages side by side are wider than high. */
export const leastShape = 1.15;

/** The fold lies in this part of the width. */
const [from, to] = [0.38, 0.62];
/** Minimum width of both inner margins, as a share of the width; gaps between columns are narrower. */
const narrowest = 0.035;
/** Maximum ink in the margins: dust. */
const dust = 0.008;
/** Minimum ink of a column in the shadow of the fold. */
const shadow = 0.5;
/** Minimum share of all ink on each page. */
const leastInk = 0.12;

/**
 * Where the two pages of a spread meet, in pixels from the left; undefined if the image shows one page. A headline or table across
 * the fold keeps the pages together.
 */
export function findFold(image: Grey): number | undefined {
  if (image.width < leastShape * image.height) return undefined;
  const factor = factorFor(image, 1000);
  const { small, threshold } = findShades(image, factor, { BORDERS: true });
  const { width, height } = small;
  const columns = inkOfColumns(small, threshold);
  const isFree = (x: number) => {
    const share = (columns[x] ?? 0) / height;
    return share <= dust || share >= shadow;
  };
  let best = { start: 0, end: 0 };
  for (let x = Math.floor(width * from); x < width * to; x++) {
    if (!isFree(x)) continue;
    const start = x;
    while (x < width * to && isFree(x)) x++;
    if (x - start > best.end - best.start) best = { start, end: x };
  }
  if (best.end - best.start < narrowest * width) return undefined;
  const fold = darkest(columns, best) ?? Math.round((best.start + best.end) / 2);
  const ink = columns.reduce((sum, one) => sum + (one < shadow * height ? one : 0), 0);
  const before = columns.subarray(0, fold).reduce((sum, one) => sum + (one < shadow * height ? one : 0), 0);
  const isSpread = Math.min(before, ink - before) >= leastInk * ink && ink > 0;
  return isSpread ? fold * factor : undefined;

  function darkest(all: Int32Array, { start, end }: { start: number; end: number }): number | undefined {
    let found: number | undefined;
    for (let x = start; x < end; x++)
      if ((all[x] ?? 0) >= shadow * height && (all[x] ?? 0) > (all[found ?? start] ?? 0)) found = x;
    return found;
  }
}

function inkOfColumns({ data, width, height }: Grey, threshold: number): Int32Array {
  const columns = new Int32Array(width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      if ((data[y * width + x] as number) < threshold) columns[x] = (columns[x] as number) + 1;
  }
  return columns;
}
