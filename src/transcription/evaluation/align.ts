import { distanceRows } from './distance-rows.ts';

export type Kind = 'equal' | 'replaced' | 'missing' | 'added';

/** A stretch of both texts: `truth[from..to)` against `found[from..to)`; `missing` has nothing found, `added` no truth. */
export interface Stretch {
  kind: Kind;
  truth: readonly [from: number, to: number];
  found: readonly [from: number, to: number];
}

/** Above this many bits the table is divided (Hirschberg), so memory stays small for any length. */
const largestTable = 2 ** 28;

/** Number of symbols to replace, add or remove to turn one list into the other. */
export function editDistance(truth: readonly string[], found: readonly string[]): number {
  const [a, b] = intern(truth, found);
  const { start, end } = sameEnds(a, b);
  const text = b.subarray(start, b.length - end);
  return distanceRows(a.subarray(start, a.length - end), text, false).last[text.length] ?? 0;
}

/** One of the best alignments of two lists. */
export function align(
  truth: readonly string[],
  found: readonly string[],
  tableBits: number = largestTable,
): Stretch[] {
  const [a, b] = intern(truth, found);
  const stretches: { kind: Kind; truth: [number, number]; found: [number, number] }[] = [];
  const add = (kind: Kind, i: number, j: number, count: number) => {
    const [truthEnd, foundEnd] = [kind === 'added' ? i : i + count, kind === 'missing' ? j : j + count];
    const last = stretches.at(-1);
    if (last?.kind === kind) {
      last.truth[1] = truthEnd;
      last.found[1] = foundEnd;
    } else stretches.push({ kind, truth: [i, truthEnd], found: [j, foundEnd] });
  };
  divide(a, b, 0, 0);
  return stretches;

  function divide(a: Uint32Array, b: Uint32Array, i: number, j: number): void {
    const { start, end } = sameEnds(a, b);
    if (start > 0) add('equal', i, j, start);
    const x = a.subarray(start, a.length - end);
    const y = b.subarray(start, b.length - end);
    if (x.length === 0 || y.length === 0) {
      if (x.length > 0) add('missing', i + start, j + start, x.length);
      if (y.length > 0) add('added', i + start, j + start, y.length);
    } else if (x.length === 1 || x.length * y.length <= tableBits) trace(x, y, i + start, j + start);
    else {
      const half = x.length >> 1;
      const split = bestSplit(x, y, half);
      divide(x.subarray(0, half), y.subarray(0, split), i + start, j + start);
      divide(x.subarray(half), y.subarray(split), i + start + half, j + start + split);
    }
    if (end > 0) add('equal', i + a.length - end, j + b.length - end, end);
  }

  /** Traces the whole table back from its last cell to its first. */
  function trace(x: Uint32Array, y: Uint32Array, i: number, j: number): void {
    const { more, less, blocks } = distanceRows(x, y, true);
    const bit = (bits: Int32Array, row: number, column: number) =>
      ((bits[column * blocks + ((row - 1) >> 5)] ?? 0) >>> ((row - 1) & 31)) & 1;
    const steps: Kind[] = [];
    let [row, column] = [x.length, y.length];
    while (row > 0 || column > 0) {
      if (row > 0 && column > 0 && x[row - 1] === y[column - 1]) steps.push('equal');
      else if (column === 0 || (row > 0 && bit(more, row, column) === 1)) steps.push('missing');
      else if (row === 0 || bit(less, row, column - 1) === 1) steps.push('added');
      else steps.push('replaced');
      const step = steps.at(-1);
      if (step !== 'added') row -= 1;
      if (step !== 'missing') column -= 1;
    }
    for (const step of steps.reverse()) {
      add(step, i + row, j + column, 1);
      if (step !== 'added') row += 1;
      if (step !== 'missing') column += 1;
    }
  }
}

/** Where to cut the second list if the first is cut in half. */
function bestSplit(x: Uint32Array, y: Uint32Array, half: number): number {
  const before = distanceRows(x.subarray(0, half), y, false).last;
  const after = distanceRows(x.slice(half).reverse(), y.slice().reverse(), false).last;
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let cut = 0; cut <= y.length; cut += 1) {
    const sum = (before[cut] ?? 0) + (after[y.length - cut] ?? 0);
    if (sum < least) [least, best] = [sum, cut];
  }
  return best;
}

function sameEnds(a: Uint32Array, b: Uint32Array): { start: number; end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { start, end };
}

/** Numbers compare faster than strings. */
function intern(...lists: readonly (readonly string[])[]): [Uint32Array, Uint32Array] {
  const numbers = new Map<string, number>();
  const [a = new Uint32Array(), b = new Uint32Array()] = lists.map((list) =>
    Uint32Array.from(list, (symbol) => {
      const known = numbers.get(symbol) ?? numbers.size;
      numbers.set(symbol, known);
      return known;
    }),
  );
  return [a, b];
}
