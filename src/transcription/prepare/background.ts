import type { Grey } from '../image/grey.ts';

/** Shade of the paper at each point: a small image, stretched over the page. */
export interface Background extends Grey {
  /** Pixels of the page per pixel of this map. */
  cell: number;
}

/** About this many cells for the longer side: letters vanish, shadows stay. */
const cells = 120;

/** Estimates the shade of the paper around each point. Takes a reduced image, so that grain doesn't count as light. */
export function findBackground(reduced: Grey, factor: number): Background {
  const size = Math.max(1, Math.round(Math.max(reduced.width, reduced.height) / cells));
  const shades = paperShades(reduced, size);
  alongRowsAndColumns(shades, coverLetters);
  alongRowsAndColumns(shades, smoothen);
  return { ...shades, cell: size * factor };
}

/** Pixels at least this light, relative to the lightest in their square, are paper. */
const nearlyLightest = 0.9;

/** The mean shade of the paper in each square. The lightest pixel alone would be too light where light falls off. */
function paperShades(image: Grey, size: number): Grey {
  const width = Math.ceil(image.width / size);
  const height = Math.ceil(image.height / size);
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    const bottom = Math.min(image.height, (row + 1) * size);
    for (let column = 0; column < width; column++) {
      const right = Math.min(image.width, (column + 1) * size);
      data[row * width + column] = paperShade(image, column * size, right, row * size, bottom);
    }
  }
  return { data, width, height };
}

function paperShade({ data, width }: Grey, left: number, right: number, top: number, bottom: number): number {
  let lightest = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) {
      if ((data[at] as number) > lightest) lightest = data[at] as number;
    }
  }
  const limit = lightest * nearlyLightest;
  let sum = 0;
  let count = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) {
      if ((data[at] as number) < limit) continue;
      sum += data[at] as number;
      count++;
    }
  }
  return Math.round(sum / count);
}

function alongRowsAndColumns(image: Grey, change: (line: Uint8Array) => Uint8Array): void {
  const { data, width, height } = image;
  for (let y = 0; y < height; y++) data.set(change(data.subarray(y * width, (y + 1) * width)), y * width);
  const column = new Uint8Array(height);
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) column[y] = data[y * width + x] as number;
    const changed = change(column);
    for (let y = 0; y < height; y++) data[y * width + x] = changed[y] as number;
  }
}

/** Up to twice this many dark squares side by side are letters, not paper. */
const reach = 2;

/** Morphological closing: letters vanish, and the slopes of shadows stay in place. */
function coverLetters(line: Uint8Array): Uint8Array {
  const last = line.length - 1;
  // Padding at both ends, where light would otherwise spread in and not shrink back.
  const spread = new Uint8Array(line.length + 2 * reach);
  for (let at = 0; at < spread.length; at++) {
    let highest = 0;
    for (let near = at - 2 * reach; near <= at; near++) {
      highest = Math.max(highest, line[Math.max(0, Math.min(last, near))] as number);
    }
    spread[at] = highest;
  }
  return line.map((_, at) => {
    let lowest = 255;
    for (let near = at; near <= at + 2 * reach; near++) lowest = Math.min(lowest, spread[near] as number);
    return lowest;
  });
}

/** Averages three neighbours. Keeps the ends, because a mean of two would be biased inwards. */
function smoothen(line: Uint8Array): Uint8Array {
  const last = line.length - 1;
  return line.map((here, at) =>
    at === 0 || at === last
      ? here
      : Math.round(((line[at - 1] as number) + here + (line[at + 1] as number)) / 3),
  );
}

/** The darkest and the lightest paper of the page, without outliers. */
export function paperOf(background: Background): { darkest: number; lightest: number } {
  const sorted = background.data.toSorted();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 255;
  return { darkest: at(0.03), lightest: at(0.97) };
}

/** Divides the page by its background, in place, so that paper becomes white everywhere. */
export function flatten(image: Grey, background: Background): void {
  const { data, width, height } = image;
  const gains = new Int32Array(width);
  for (let y = 0; y < height; y++) {
    if (y % 4 === 0) fillGains(gains, background, y);
    const row = y * width;
    for (let x = 0; x < width; x++) {
      const shade = ((data[row + x] as number) * (gains[x] as number)) >> 16;
      data[row + x] = Math.min(255, shade);
    }
  }
}

/** Anything darker is not paper, and whitening it would only amplify its grain. */
const darkestPaper = 40;

/** How much lighter to make each pixel of a row, in 65536ths. */
function fillGains(gains: Int32Array, { data, width, height, cell }: Background, y: number): void {
  // The slope continues beyond the centres of the outermost squares.
  const down = (y + 2) / cell - 0.5;
  const top = Math.max(0, Math.min(height - 2, Math.floor(down)));
  const bottom = Math.min(height - 1, top + 1);
  const shades = new Float64Array(width);
  for (let x = 0; x < width; x++) {
    const upper = data[top * width + x] as number;
    shades[x] = upper + ((data[bottom * width + x] as number) - upper) * (down - top);
  }
  for (let x = 0; x < gains.length; x++) {
    const across = x / cell - 0.5;
    const left = Math.max(0, Math.min(width - 2, Math.floor(across)));
    const before = shades[left] as number;
    const after = shades[Math.min(width - 1, left + 1)] as number;
    const shade = before + (after - before) * (across - left);
    gains[x] = (255 * 65536) / Math.max(darkestPaper, Math.min(255, shade));
  }
}
