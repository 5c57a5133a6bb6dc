import type { Grey } from '../image/grey.ts';

export interface TextLines {
  count: number;
  /** Height of letters such as x, in pixels of the given image; 0 if there are no lines. */
  letterHeight: number;
  /**
   * The share of ink above the band of small letters, of all ink outside it. Ascenders, capitals and accents outweigh
   * descenders, so it is well above a half if the page is the right way up.
   */
  above: number;
}

/** Measures the lines of a page with known skew, from the ink in each row along that skew. */
export function measureLines(image: Grey, threshold: number, skew: number): TextLines {
  const ink = rowsOfInk(image, threshold, skew);
  const heights: number[] = [];
  let above = 0;
  let below = 0;
  for (const [top, bottom] of runs(ink, Math.max(2, image.width * 0.01))) {
    // A few pixels are a rule or dust; much more is a picture.
    if (bottom - top < 4 || bottom - top > image.height * 0.1) continue;
    const most = ink.subarray(top, bottom).reduce((max, one) => Math.max(max, one), 0);
    const dense = (row: number) => (ink[row] ?? 0) >= most * 0.4;
    let first = top;
    while (!dense(first)) first++;
    let last = bottom - 1;
    while (!dense(last)) last--;
    heights.push(last - first + 1);
    for (let row = top; row < first; row++) above += ink[row] ?? 0;
    for (let row = last + 1; row < bottom; row++) below += ink[row] ?? 0;
  }
  heights.sort((one, other) => one - other);
  const letterHeight = heights[Math.floor(heights.length / 2)] ?? 0;
  return { count: heights.length, letterHeight, above: above + below === 0 ? 0.5 : above / (above + below) };
}

function rowsOfInk({ data, width, height }: Grey, threshold: number, skew: number): Int32Array {
  const slope = Math.tan((skew * Math.PI) / 180);
  const shifts = Int32Array.from({ length: width }, (_, x) => Math.round((x - width / 2) * slope));
  const ink = new Int32Array(height);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; x++) {
      if ((data[row + x] as number) >= threshold) continue;
      const straight = y - (shifts[x] as number);
      if (straight >= 0 && straight < height) ink[straight] = (ink[straight] as number) + 1;
    }
  }
  return ink;
}

/** Runs of values above the limit: pairs of the first index and the one after the last. */
export function* runs(values: Int32Array, limit: number): Generator<[start: number, end: number]> {
  let start = -1;
  for (let at = 0; at <= values.length; at++) {
    const inside = at < values.length && (values[at] ?? 0) > limit;
    if (inside && start < 0) start = at;
    if (!inside && start >= 0) {
      yield [start, at];
      start = -1;
    }
  }
}
