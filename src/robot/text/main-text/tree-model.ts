/** A leaf is its value; a branch is the feature, its border, and the trees for values up to the border and above it. */
export type Tree = number | [feature: number, border: number, below: Tree, above: Tree];

/** Boosted trees: the sum of their leaves is the logarithm of the odds. */
export interface TreeModel {
  base: number;
  trees: readonly Tree[];
}

/** Returns the probability (0..1) for a row of features. */
export type Predict = (row: Float32Array) => number;

/** Maximum depth of a tree. */
const deepest = 4;
const size = 2 ** deepest;

/**
 * Every tree is filled up to the same depth, so that a node's place says where its branches are: those of node 0 are 1 and 2, and so on.
 * Following places that are stored took three times as long, nested arrays fifteen times.
 */
export function compileModel({ base, trees }: TreeModel): Predict {
  const feature = new Uint8Array(size * trees.length);
  const border = new Float64Array(size * trees.length);
  const leaves = new Float64Array(size * trees.length);
  const place = (tree: Tree, start: number, node: number): void => {
    if (node >= size - 1) {
      if (typeof tree !== 'number') throw new Error(`a tree of the model is deeper than ${deepest}`);
      leaves[start + node - size + 1] = tree;
      return;
    }
    // A leaf that comes early is the same on both sides, whatever is compared.
    const [first, value, below, above] = typeof tree === 'number' ? [0, 0, tree, tree] : tree;
    feature[start + node] = first;
    border[start + node] = value;
    place(below, start, 2 * node + 1);
    place(above, start, 2 * node + 2);
  };
  for (const [index, tree] of trees.entries()) place(tree, size * index, 0);
  const { length } = leaves;
  return (row) => {
    const isBelow = (at: number) => (row[feature[at] as number] as number) <= (border[at] as number);
    let score = base;
    for (let start = 0; start < length; start += size) {
      // Written out: a loop took twice as long.
      let node = isBelow(start) ? 1 : 2;
      node = isBelow(start + node) ? 2 * node + 1 : 2 * node + 2;
      node = isBelow(start + node) ? 2 * node + 1 : 2 * node + 2;
      node = isBelow(start + node) ? 2 * node + 1 : 2 * node + 2;
      score += leaves[start + node - size + 1] as number;
    }
    return 1 / (1 + Math.exp(-score));
  };
}
