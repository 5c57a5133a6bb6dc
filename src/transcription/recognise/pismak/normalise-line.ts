import type { Grey } from '../../image/grey.ts';
import { histogramOf, percentile } from '../../image/histogram.ts';

/** The network's view of a line: 1 is ink, 0 is paper, row by row. */
export interface LineInk {
  data: Float32Array;
  width: number;
  height: number;
}

/** With less contrast between ink and paper, a line is empty. */
const leastContrast = 16;

/** Stretches contrast as in training (training/lines.py): ink to 1, paper to 0. Inverts white letters on black. */
export function normaliseLine({ data, width, height }: Grey): LineInk {
  const ink = new Float32Array(width * height);
  if (data.length === 0) return { data: ink, width, height };
  const histogram = histogramOf(data);
  const [darkest, middle, lightest] = [0.01, 0.5, 0.99].map((share) => percentile(histogram, share)) as [
    number,
    number,
    number,
  ];
  // Most of a line is paper.
  const isInverted = middle - darkest < lightest - middle && lightest - middle > 4 * (middle - darkest);
  const low = isInverted ? lightest : darkest;
  const high = percentile(histogram, isInverted ? 0.15 : 0.85);
  if (Math.abs(high - low) < leastContrast) return { data: ink, width, height };
  const share = 1 / (high - low);
  for (let at = 0; at < ink.length; at++)
    ink[at] = 1 - Math.max(0, Math.min(1, ((data[at] as number) - low) * share));
  return { data: ink, width, height };
}
