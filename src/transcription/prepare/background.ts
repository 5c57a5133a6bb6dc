import type { Grey } from '../image/grey.ts';

/** How light the paper is at each place: a small image that is stretched over the page. */
export interface Background extends Grey {
  /** Pixels of the page for one of the map. */
  cell: number;
}

/** About this many cells for the longer side: letters vanish, shadows stay. */
const cells = 120;

/** The lightest shade around each place, of an image reduced before (so that grain doesn't pass for light), smoothed. */
export function findBackground(reduced: Grey, factor: number): Background {
  const size = Math.max(1, Math.round(Math.max(reduced.width, reduced.height) / cells));
  const small = lightest(reduced, size);
  // Wider and back again: letters that fill a square vanish, and the slopes of shadows stay where they are.
  const paper = blur(shrink(spread(small, 2), 2), 1);
  return { ...paper, cell: size * factor };
}

/** The highest value of each square. */
function lightest(image: Grey, size: number): Grey {
  const width = Math.ceil(image.width / size);
  const height = Math.ceil(image.height / size);
  const data = new Uint8Array(width * height);
  for (let y = 0; y < image.height; y++) {
    const row = Math.floor(y / size) * width;
    let at = y * image.width;
    for (let cell = 0; cell < width; cell++) {
      let highest = data[row + cell] ?? 0;
      const end = Math.min((y + 1) * image.width, at + size);
      for (; at < end; at++) if ((image.data[at] ?? 0) > highest) highest = image.data[at] ?? 0;
      data[row + cell] = highest;
    }
  }
  return { data, width, height };
}

const spread = (image: Grey, distance: number) => both(image, distance, (one, other) => Math.max(one, other));
const shrink = (image: Grey, distance: number) => both(image, distance, (one, other) => Math.min(one, other));
const blur = (image: Grey, distance: number) =>
  both(image, distance, (sum, other) => sum + other, 1 / (2 * distance + 1));

/** Combines each value with its neighbours in the row, then in the column; at the edges the last value is repeated. */
function both(
  image: Grey,
  distance: number,
  combine: (one: number, other: number) => number,
  share = 1,
): Grey {
  return along(along(image, 'row', distance, combine, share), 'column', distance, combine, share);
}

function along(
  { data, width, height }: Grey,
  direction: 'row' | 'column',
  distance: number,
  combine: (one: number, other: number) => number,
  share: number,
): Grey {
  const combined = new Uint8Array(data.length);
  const [step, length] = direction === 'row' ? [1, width] : [width, height];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const place = direction === 'row' ? x : y;
      const value = (offset: number) => {
        const near = Math.max(0, Math.min(length - 1, place + offset));
        return data[at + (near - place) * step] ?? 0;
      };
      let result = value(-distance);
      for (let offset = 1 - distance; offset <= distance; offset++) result = combine(result, value(offset));
      combined[at] = result * share;
    }
  }
  return { data: combined, width, height };
}

/** The darkest and the lightest paper of the page, apart from a few places. */
export function paperOf(background: Background): { darkest: number; lightest: number } {
  const sorted = background.data.toSorted();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 255;
  return { darkest: at(0.03), lightest: at(0.97) };
}

/** Divides the page by its background, in place: the paper becomes white everywhere. */
export function flatten(image: Grey, background: Background): void {
  const { data, width, height } = image;
  const gains = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    if (y % 4 === 0) fillGains(gains, background, y);
    const row = y * width;
    for (let x = 0; x < width; x++) {
      data[row + x] = Math.min(255, (data[row + x] ?? 0) * (gains[x] ?? 1));
    }
  }
}

/** Darker than this is no paper, and making it white would only lift its grain. */
const darkestPaper = 40;

function fillGains(gains: Float64Array, { data, width, height, cell }: Background, y: number): void {
  const down = Math.max(0, Math.min(height - 1, (y + 2) / cell - 0.5));
  const top = Math.floor(down);
  const bottom = Math.min(height - 1, top + 1);
  for (let x = 0; x < gains.length; x++) {
    const right = Math.max(0, Math.min(width - 1, x / cell - 0.5));
    const left = Math.floor(right);
    const next = Math.min(width - 1, left + 1);
    const at = (row: number, column: number) => data[row * width + column] ?? 255;
    const upper = at(top, left) + (at(top, next) - at(top, left)) * (right - left);
    const lower = at(bottom, left) + (at(bottom, next) - at(bottom, left)) * (right - left);
    gains[x] = 255 / Math.max(darkestPaper, upper + (lower - upper) * (down - top));
  }
}
