import type { Tree, TreeModel } from '../../src/robot/text/main-text/tree-model.ts';

export interface TrainingSet {
  rows: readonly Float32Array[];
  labels: Float32Array;
  weights: Float32Array;
}

export interface TrainingOptions {
  trees: number;
  depth: number;
  rate: number;
  /** Smallest sum of weights in a leaf. */
  leafWeight: number;
  /** Shrinks leaves of little evidence. */
  smoothing: number;
  /** Of the features each tree looks at. */
  featureShare: number;
  random: () => number;
}

const bins = 32;

/** Gradient-boosted trees for a yes or no (logistic loss), with binned features. Small on purpose: it fits one model of this project. */
export function fitTrees({ rows, labels, weights }: TrainingSet, options: TrainingOptions): TreeModel {
  const count = rows.length;
  const features = rows[0]?.length ?? 0;
  const borders = Array.from({ length: features }, (_, feature) => bordersOf(rows, feature));
  const binned = borders.map((border, feature) =>
    Uint8Array.from({ length: count }, (_, row) => binOf(border, rows[row]?.[feature] ?? 0)),
  );
  let positive = 0;
  let all = 0;
  for (let row = 0; row < count; row += 1) {
    positive += (weights[row] as number) * (labels[row] as number);
    all += weights[row] as number;
  }
  const base = Math.log(positive / (all - positive));
  const scores = new Float32Array(count).fill(base);
  const trees: Tree[] = [];
  for (let number = 0; number < options.trees; number += 1) {
    const gradients = new Float32Array(count);
    const curvatures = new Float32Array(count);
    for (let row = 0; row < count; row += 1) {
      const chance = 1 / (1 + Math.exp(-(scores[row] as number)));
      gradients[row] = (weights[row] as number) * ((labels[row] as number) - chance);
      curvatures[row] = (weights[row] as number) * Math.max(1e-6, chance * (1 - chance));
    }
    const chosen = Array.from({ length: features }, (_, feature) => feature).filter(
      () => options.random() < options.featureShare,
    );
    const grown = growTree(binned, borders, gradients, curvatures, chosen, options);
    for (let row = 0; row < count; row += 1)
      scores[row] = (scores[row] as number) + (grown.values[row] as number);
    trees.push(grown.tree);
  }
  return { base, trees };
}

function growTree(
  binned: readonly Uint8Array[],
  borders: readonly Float32Array[],
  gradients: Float32Array,
  curvatures: Float32Array,
  features: readonly number[],
  { depth, rate, leafWeight, smoothing }: TrainingOptions,
): { tree: Tree; values: Float32Array } {
  const values = new Float32Array(gradients.length);
  const grow = (rows: Uint32Array, left: number): Tree => {
    let gradient = 0;
    let curvature = 0;
    for (const row of rows) {
      gradient += gradients[row] as number;
      curvature += curvatures[row] as number;
    }
    const split = left === 0 ? undefined : bestSplit(rows, gradient, curvature);
    if (split === undefined) {
      const value = (rate * gradient) / (curvature + smoothing);
      for (const row of rows) values[row] = value;
      return Math.round(value * 1e4) / 1e4;
    }
    const column = binned[split.feature] as Uint8Array;
    const below = rows.filter((row) => (column[row] as number) <= split.bin);
    const above = rows.filter((row) => (column[row] as number) > split.bin);
    const border = (borders[split.feature] as Float32Array)[split.bin] as number;
    return [split.feature, Number(border.toPrecision(6)), grow(below, left - 1), grow(above, left - 1)];
  };

  function bestSplit(rows: Uint32Array, gradient: number, curvature: number) {
    let best: { feature: number; bin: number; gain: number } | undefined;
    const worth = (g: number, c: number) => (g * g) / (c + smoothing);
    for (const feature of features) {
      const column = binned[feature] as Uint8Array;
      const g = new Float64Array(bins);
      const c = new Float64Array(bins);
      for (const row of rows) {
        const bin = column[row] as number;
        g[bin] = (g[bin] as number) + (gradients[row] as number);
        c[bin] = (c[bin] as number) + (curvatures[row] as number);
      }
      let leftGradient = 0;
      let leftCurvature = 0;
      for (let bin = 0; bin < bins - 1; bin += 1) {
        leftGradient += g[bin] as number;
        leftCurvature += c[bin] as number;
        if (leftCurvature < leafWeight || curvature - leftCurvature < leafWeight) continue;
        const gain =
          worth(leftGradient, leftCurvature) +
          worth(gradient - leftGradient, curvature - leftCurvature) -
          worth(gradient, curvature);
        if (gain > (best?.gain ?? 1e-6)) best = { feature, bin, gain };
      }
    }
    return best;
  }

  const tree = grow(Uint32Array.from(gradients.keys()), depth);
  return { tree, values };
}

/** Upper borders of the bins: equal shares of what values there are. */
function bordersOf(rows: readonly Float32Array[], feature: number): Float32Array {
  const values = Float32Array.from(rows, (row) => row[feature] ?? 0).sort();
  const borders = new Set<number>();
  for (let bin = 1; bin < bins; bin += 1) {
    const at = Math.floor((bin * values.length) / bins);
    const low = values[Math.max(0, at - 1)] as number;
    borders.add(low);
  }
  return Float32Array.from([...borders].sort((one, other) => one - other));
}

function binOf(borders: Float32Array, value: number): number {
  let low = 0;
  let high = borders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (borders[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
