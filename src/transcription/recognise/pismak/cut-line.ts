import { type Grey, reduce } from '../../image/grey.ts';
import type { FoundLine, Point } from '../../lines/find-lines.ts';

/** A line cut out of the page along its baseline, in the height that the network reads. */
export interface Strip extends Grey {
  /** Position of a column of the strip on the page. */
  placeOf(column: number): { x: number; top: number; bottom: number };
}

/** Margin around the letters, as in the training data. */
const air = 0.06;
/** Minimum height of letters, ascenders and descenders included, in pixels of the page. */
const lowest = 5;
/** A line of print has up to 2,000 columns. */
const mostColumns = 60_000;

/** Cuts lines out of a page along their baselines. Keeps successively halved copies of the page between lines. */
export function lineCutter(page: Grey, height: number): (line: FoundLine) => Strip | undefined {
  const halves = [page];
  const halved = (times: number): Grey => {
    const known = halves[times];
    if (known) return known;
    const made = reduce(halved(times - 1), 2);
    halves[times] = made;
    return made;
  };
  return (line) => {
    const whole = line.ascent + line.descent;
    const [first, last] = [line.baseline[0], line.baseline.at(-1)];
    if (!first || !last || whole < lowest || !Number.isFinite(whole)) return undefined;
    const tall = whole * (1 + 2 * air);
    const start = first.x - tall * air;
    const length = last.x - first.x + 2 * tall * air;
    const columns = Math.round((length * height) / tall);
    if (columns < 4 || columns > mostColumns) return undefined;
    const times = Math.max(0, Math.floor(Math.log2(tall / height)));
    const factor = 2 ** times;
    const source = halved(times);
    const placeOf = (column: number) => {
      const x = start + (column * tall) / height;
      const base = heightAt(line.baseline, x);
      return { x, top: base - line.ascent - tall * air, bottom: base + line.descent + tall * air };
    };
    const data = new Uint8Array(columns * height);
    const sums = new Float64Array(height);
    // Two samples each way: a pixel of the strip is up to two of the source.
    const step = tall / height / factor / 2;
    for (let column = 0; column < columns; column++) {
      sums.fill(0);
      for (const part of [0.25, 0.75]) {
        const { x, top } = placeOf(column + part);
        addShades(source, x / factor, top / factor + step / 2, step, sums);
      }
      for (let row = 0; row < height; row++) data[row * columns + column] = (sums[row] as number) / 4;
    }
    return { data, width: columns, height, placeOf };
  };
}

/** Interpolates between points, and extrapolates beyond them. */
export function heightAt(points: readonly Point[], x: number): number {
  let before = points[0] ?? { x: 0, y: 0 };
  let after = points[1] ?? before;
  for (let at = 2; at < points.length && x > after.x; at++) {
    before = after;
    after = points[at] ?? after;
  }
  const length = after.x - before.x;
  return length <= 0 ? before.y : before.y + ((x - before.x) / length) * (after.y - before.y);
}

/** Adds two vertical samples to each sum, bilinear between pixels and clamped at the edges of the page. */
function addShades(
  { data, width, height }: Grey,
  x: number,
  y: number,
  step: number,
  sums: Float64Array,
): void {
  const left = Math.max(0, Math.min(width - 1, x - 0.5));
  const column = Math.floor(left);
  const across = left - column;
  const right = column + 1 < width ? 1 : 0;
  for (let sample = 0; sample < 2 * sums.length; sample++) {
    const top = Math.max(0, Math.min(height - 1, y + sample * step - 0.5));
    const row = Math.floor(top);
    const at = row * width + column;
    const below = at + (row + 1 < height ? width : 0);
    const upper = (data[at] as number) * (1 - across) + (data[at + right] as number) * across;
    const lower = (data[below] as number) * (1 - across) + (data[below + right] as number) * across;
    sums[sample >> 1] = (sums[sample >> 1] as number) + upper + (lower - upper) * (top - row);
  }
}
