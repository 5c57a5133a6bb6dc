import type { Component } from '../image/components.ts';

/** Baseline and letter height of a line, in pixels. */
export interface Course {
  /** Height of the baseline at a place: y = start + slope * x + bend * x². */
  at(x: number): number;
  /** Height of most letters above the baseline: of x in text, of capitals in a line of capitals. */
  body: number;
}

/**
 * Fits a baseline to the feet of letters, with little weight for what hangs below or floats above. A short line takes the slope of
 * the page.
 */
export function courseOf(letters: readonly Component[], slope = 0): Course {
  const [first] = letters;
  if (!first) return { at: () => 0, body: 0 };
  const left = Math.min(...letters.map((one) => one.left));
  const right = Math.max(...letters.map((one) => one.left + one.width));
  const height = weightedQuantile(letters, (one) => one.height, 0.5);
  const length = Math.max(1, right - left);
  const degree =
    letters.length >= 12 && length > 20 * height ? 2 : letters.length >= 4 && length > 4 * height ? 1 : 0;
  // Places from -1 to 1 keep the equations well conditioned.
  const middle = (left + right) / 2;
  const placeOf = (x: number) => (x - middle) / (length / 2);
  const fall = (x: number) => slope * (x - middle);
  const points = letters.map((one) => ({
    x: placeOf(one.left + one.width / 2),
    y: one.top + one.height - fall(one.left + one.width / 2),
    weight: Math.min(one.width, 3 * height),
  }));
  let fit = [weightedQuantile(letters, (one) => one.top + one.height - fall(one.left + one.width / 2), 0.4)];
  for (let round = 0; round < 8; round++) {
    const tolerance = height * (round < 3 ? 0.5 : 0.15);
    const weights = points.map(({ x, y, weight }) => {
      const away = (y - heightOf(fit, x)) / tolerance;
      return weight / (1 + away * away);
    });
    fit = leastSquares(points, weights, degree) ?? fit;
  }
  const at = (x: number) => heightOf(fit, Math.max(-1, Math.min(1, placeOf(x)))) + fall(x);
  const body = weightedQuantile(letters, (one) => at(one.left + one.width / 2) - one.top, 0.5);
  return { at, body: Math.max(1, body) };
}

/** By the widths of the letters. */
export function weightedQuantile(
  letters: readonly Component[],
  value: (one: Component) => number,
  share: number,
): number {
  const values = letters
    .map((one) => ({ value: value(one), weight: one.width }))
    .sort((one, other) => one.value - other.value);
  let left = share * values.reduce((sum, { weight }) => sum + weight, 0);
  for (const { value: found, weight } of values) {
    left -= weight;
    if (left <= 0) return found;
  }
  return values.at(-1)?.value ?? 0;
}

function heightOf([start = 0, slope = 0, bend = 0]: readonly number[], x: number): number {
  return start + x * (slope + x * bend);
}

function leastSquares(
  points: readonly { x: number; y: number }[],
  weights: readonly number[],
  degree: number,
): number[] | undefined {
  const size = degree + 1;
  const rows = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
  for (const [index, { x, y }] of points.entries()) {
    const weight = weights[index] ?? 0;
    for (const [down, row] of rows.entries()) {
      for (let across = 0; across < size; across++)
        row[across] = (row[across] ?? 0) + weight * x ** (down + across);
      row[size] = (row[size] ?? 0) + weight * y * x ** down;
    }
  }
  return solve(rows);
}

/** Gaussian elimination. The matrix is positive definite unless all points coincide. */
function solve(rows: number[][]): number[] | undefined {
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot++) {
    const row = rows[pivot] ?? [];
    const divisor = row[pivot] ?? 0;
    if (Math.abs(divisor) < 1e-9) return undefined;
    for (let column = 0; column <= size; column++) row[column] = (row[column] ?? 0) / divisor;
    for (const other of rows) {
      if (other === row) continue;
      const times = other[pivot] ?? 0;
      for (let column = 0; column <= size; column++)
        other[column] = (other[column] ?? 0) - times * (row[column] ?? 0);
    }
  }
  return rows.map((row) => row[size] ?? 0);
}
