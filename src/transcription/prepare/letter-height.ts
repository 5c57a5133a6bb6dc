import { findComponents } from '../image/components.ts';
import { factorFor, type Grey, reduce } from '../image/grey.ts';
import { histogramOf, otsu } from '../image/histogram.ts';

/** Height of letters such as x, in pixels; 0 if there are too few letters. Measures the middle of the page if it has text. */
export function letterHeightOf(page: Grey): number {
  const middle = part(page, 0.25, 0.5);
  const factor = factorFor({ width: middle.width * 2, height: middle.height * 2 }, 2500);
  const found = commonestHeight(reduce(middle, factor)) * factor;
  if (found > 0) return found;
  const whole = factorFor(page, 2000);
  return commonestHeight(reduce(page, whole)) * whole;
}

function part({ data, width, height }: Grey, from: number, share: number): Grey {
  const [left, top] = [Math.floor(width * from), Math.floor(height * from)];
  const [across, down] = [Math.max(1, Math.floor(width * share)), Math.max(1, Math.floor(height * share))];
  const cut = new Uint8Array(across * down);
  for (let y = 0; y < down; y++) {
    const start = (top + y) * width + left;
    cut.set(data.subarray(start, start + across), y * across);
  }
  return { data: cut, width: across, height: down };
}

/** The commonest height of letter-shaped components, weighted by width so that dots don't outvote letters. */
function commonestHeight({ data: shades, width, height }: Grey): number {
  const threshold = otsu(histogramOf(shades, 3));
  const data = new Uint8Array(shades.length);
  for (let at = 0; at < data.length; at++) data[at] = (shades[at] as number) < threshold ? 1 : 0;
  const most = Math.floor(height / 10);
  const counts = new Float64Array(most + 2);
  let letters = 0;
  for (const one of findComponents({ data, width, height })) {
    const isLetter =
      one.height >= 3 &&
      one.height <= most &&
      one.width <= 4 * one.height &&
      one.width * 5 >= one.height &&
      one.ink * 8 >= one.width * one.height;
    if (!isLetter) continue;
    letters++;
    counts[one.height] = (counts[one.height] as number) + one.width;
  }
  if (letters < fewestLetters) return 0;
  let best = 0;
  let highest = 0;
  for (let size = 3; size <= most; size++) {
    const near =
      (counts[size - 1] as number) / 2 + (counts[size] as number) + (counts[size + 1] as number) / 2;
    if (near > highest) [best, highest] = [size, near];
  }
  return best;
}

const fewestLetters = 40;
