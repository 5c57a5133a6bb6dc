import type { Grey } from '../../image/grey.ts';
import { histogramOf, otsu } from '../../image/histogram.ts';

/** A printed rule: level ones at a height, upright ones at a distance from the left edge. In pixels of the image. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface PrintedRules {
  level: Rule[];
  upright: Rule[];
}

/** In line heights: no letter or word has such a stroke. */
const shortestLevel = 7;
const shortestUpright = 3.5;
const thickest = 0.5;
/** On a slightly skewed page a rule becomes a staircase. */
const steepest = 0.015;
/** Height of a text line in the reduced image, which still shows rules. */
const reducedLine = 10;

/** Finds long straight strokes. `line` is the height of a line of text. */
export function findPrintedRules(image: Grey, line: number): PrintedRules {
  const factor = Math.max(1, Math.round(line / reducedLine));
  const dark = darkest(image, factor);
  const unit = line / factor;
  const enlarge = ({ at, from, to }: Rule): Rule => ({
    at: (at + 0.5) * factor,
    from: from * factor,
    to: (to + 1) * factor,
  });
  return {
    level: straight(levelRuns(dark, shortestLevel * unit), unit).map(enlarge),
    upright: straight(uprightRuns(dark, shortestUpright * unit), unit).map(enlarge),
  };
}

interface Bitmap {
  data: Uint8Array;
  width: number;
  height: number;
}

/** 1 where any pixel of a square is ink, so that thin rules remain. */
function darkest({ data, width: full, height: tall }: Grey, factor: number): Bitmap {
  const threshold = otsu(histogramOf(data, 7));
  const [width, height] = [Math.floor(full / factor), Math.floor(tall / factor)];
  const small = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let row = y * factor; row < (y + 1) * factor; row++) {
      for (let x = 0, at = row * full; x < width; x++) {
        for (const end = at + factor; at < end; at++)
          if ((data[at] as number) < threshold) small[y * width + x] = 1;
      }
    }
  }
  return { data: small, width, height };
}

/** Horizontal runs of ink. A gap of one pixel does not end a run. */
function levelRuns({ data, width, height }: Bitmap, least: number): Rule[] {
  const runs: Rule[] = [];
  for (let at = 0; at < height; at++) {
    let [from, last] = [-1, -2];
    for (let x = 0; x <= width; x++) {
      const isInk = x < width && data[at * width + x] === 1;
      if (isInk) {
        if (from < 0) from = x;
        last = x;
      } else if (from >= 0 && (x - last > 1 || x === width)) {
        if (last - from + 1 >= least) runs.push({ at, from, to: last });
        from = -1;
      }
    }
  }
  return runs;
}

/** Vertical runs, found row by row, in memory order. */
function uprightRuns({ data, width, height }: Bitmap, least: number): Rule[] {
  const runs: Rule[] = [];
  const starts = new Int32Array(width).fill(-1);
  const lasts = new Int32Array(width).fill(-2);
  for (let y = 0; y <= height; y++) {
    for (let at = 0; at < width; at++) {
      const from = starts[at] as number;
      if (y < height && data[y * width + at] === 1) {
        if (from < 0) starts[at] = y;
        lasts[at] = y;
      } else if (from >= 0 && (y - (lasts[at] as number) > 1 || y === height)) {
        const to = lasts[at] as number;
        if (to - from + 1 >= least) runs.push({ at, from, to });
        starts[at] = -1;
      }
    }
  }
  return runs.sort((one, other) => one.at - other.at);
}

interface Stroke extends Rule {
  first: number;
  last: number;
}

/** Joins adjacent and collinear runs. Drops thick ones, which are pictures or shadows. */
function straight(runs: readonly Rule[], unit: number): Rule[] {
  const strokes: Stroke[] = [];
  for (const run of runs) {
    const stroke = strokes.findLast(
      (one) => run.at - one.last <= 2 && run.from <= one.to + 2 * unit && run.to >= one.from - 2 * unit,
    );
    if (!stroke) {
      strokes.push({ ...run, first: run.at, last: run.at });
      continue;
    }
    stroke.from = Math.min(stroke.from, run.from);
    stroke.to = Math.max(stroke.to, run.to);
    stroke.last = run.at;
  }
  return strokes
    .filter(
      ({ first, last, from, to }) => last - first <= Math.max(3, thickest * unit) + steepest * (to - from),
    )
    .map(({ first, last, from, to }) => ({ at: (first + last) / 2, from, to }));
}
