import type { Grey } from '../image/grey.ts';

/** The steepest skew to look for, in degrees. */
const maxSkew = 15;

export interface Skew {
  /** How many degrees the lines fall to the right; 0 if there are no clear lines. */
  angle: number;
  /** How much sharper the lines are in this direction than in all others; about 1 if there are none. */
  clarity: number;
}

/**
 * Projects the lower edges of ink along each candidate direction. Along the lines they pile up sharply at the baselines.
 * `threshold` is the first shade that is not ink.
 */
export function findSkew(image: Grey, threshold: number): Skew {
  const edges = lowerEdges(image, threshold);
  if (edges.xs.length < 200) return { angle: 0, clarity: 1 };
  const reach = Math.ceil(image.width * Math.tan(radians(maxSkew + 1)));
  const bins = new Int32Array(image.height + 2 * reach);
  const score = (angle: number) => sharpness(edges, -angle, bins, reach);
  const coarse = sharpest(-maxSkew, maxSkew, 0.5, score);
  const clarity = coarse.score / coarse.mean;
  if (clarity < 1.5) return { angle: 0, clarity };
  const finer = sharpest(coarse.angle - 0.5, coarse.angle + 0.5, 0.1, score);
  const finest = sharpest(finer.angle - 0.1, finer.angle + 0.1, 0.02, score);
  // Adding 0 avoids -0.
  return { angle: Math.round(finest.angle * 100) / 100 + 0, clarity };
}

interface Points {
  xs: Int32Array;
  ys: Int32Array;
}

function lowerEdges({ data, width, height }: Grey, threshold: number): Points {
  const xs: number[] = [];
  const ys: number[] = [];
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if ((data[at] as number) < threshold && (data[at + width] as number) >= threshold) {
        xs.push(x);
        ys.push(y);
      }
    }
  }
  return { xs: Int32Array.from(xs), ys: Int32Array.from(ys) };
}

function sharpest(from: number, to: number, step: number, score: (angle: number) => number) {
  const angles = Array.from(
    { length: Math.round((to - from) / step) + 1 },
    (_, index) => from + index * step,
  );
  const scores = angles.map(score);
  const highest = Math.max(...scores);
  // Pixels are coarse, so neighbouring angles may score the same; take the middle one.
  const angle = (angles[scores.indexOf(highest)] ?? 0) + (angles[scores.lastIndexOf(highest)] ?? 0);
  return {
    angle: angle / 2,
    score: highest,
    mean: scores.reduce((sum, one) => sum + one, 0) / scores.length,
  };
}

function sharpness({ xs, ys }: Points, angle: number, bins: Int32Array, reach: number): number {
  bins.fill(0);
  // Fixed point: a multiplication and a shift for each edge.
  const slope = Math.round(Math.tan(radians(angle)) * 65536);
  for (let at = 0; at < xs.length; at++) {
    const bin = (ys[at] as number) + (((xs[at] as number) * slope + 32768) >> 16) + reach;
    bins[bin] = (bins[bin] as number) + 1;
  }
  let sum = 0;
  for (let at = 1; at < bins.length; at++) {
    const step = (bins[at] as number) - (bins[at - 1] as number);
    sum += step * step;
  }
  return sum;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
