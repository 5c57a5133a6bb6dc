/** A leaf is its value; a branch is the feature, its border, and the trees for values up to the border and above it. */
export type Tree = number | [feature: number, border: number, below: Tree, above: Tree];

/** Boosted trees: the sum of their leaves is the logarithm of the odds. */
export interface TreeModel {
  base: number;
  trees: readonly Tree[];
}

/** The chance, 0..1. */
export function predict({ base, trees }: TreeModel, row: Float32Array): number {
  let score = base;
  for (const tree of trees) {
    let at: Tree = tree;
    while (typeof at !== 'number') at = (row[at[0]] as number) <= at[1] ? at[2] : at[3];
    score += at;
  }
  return 1 / (1 + Math.exp(-score));
}
