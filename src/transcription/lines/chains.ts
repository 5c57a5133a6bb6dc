import type { Component } from '../image/components.ts';
import { type Gutters, isDivided } from './gutters.ts';

/** Maximum gap between words, in heights of adjacent letters. */
const widestGap = 3;
/** Maximum ratio of heights of neighbours in a line: an accented capital beside a small letter. */
const mostRatio = 2.9;
const leastOverlap = 0.45;

/** Joins each letter to the next one in its line. `letter` is the height of a small letter. */
export function chainLetters(letters: readonly Component[], gutters: Gutters, letter: number): Component[][] {
  const sorted = letters.toSorted((one, other) => one.left - other.left);
  const rows = letterRows(sorted, letter);
  const next = new Int32Array(sorted.length).fill(-1);
  const before = new Int32Array(sorted.length).fill(-1);
  const costs = new Float64Array(sorted.length).fill(Infinity);
  for (const [index, one] of sorted.entries()) {
    const found = nextOf(one, index, sorted, rows, gutters, letter);
    if (!found) continue;
    // If several lead to the same letter, keep the nearest.
    if (found.cost >= (costs[found.index] as number)) continue;
    const loser = before[found.index] as number;
    if (loser >= 0) next[loser] = -1;
    next[index] = found.index;
    before[found.index] = index;
    costs[found.index] = found.cost;
  }
  const chains: Component[][] = [];
  for (let start = 0; start < sorted.length; start++) {
    if (before[start] !== -1) continue;
    const chain: Component[] = [];
    for (let at = start; at !== -1; at = next[at] as number) chain.push(sorted[at] as Component);
    chains.push(chain);
  }
  return chains;
}

function nextOf(
  one: Component,
  index: number,
  sorted: readonly Component[],
  rows: LetterRows,
  gutters: Gutters,
  letter: number,
): { index: number; cost: number } | undefined {
  const right = one.left + one.width;
  const most = right + widestGap * Math.max(letter, Math.min(one.height, 4 * letter));
  let best: { index: number; cost: number } | undefined;
  for (let row = rows.of(one.top); row <= rows.of(bottom(one)); row++) {
    const places = rows.places.get(row) ?? [];
    for (let place = firstAfter(places, index); place < places.length; place++) {
      const at = places[place] as number;
      const other = sorted[at] as Component;
      if (other.left > most) break;
      const cost = costOf(one, other, letter);
      if (cost >= (best?.cost ?? Infinity)) continue;
      const middle = (Math.max(one.top, other.top) + Math.min(bottom(one), bottom(other))) / 2;
      if (isDivided(gutters, right, other.left, middle)) continue;
      best = { index: at, cost };
    }
  }
  return best;
}

/** Indexes of letters that touch each row, a few letters high. A page of dots has 100,000 letters. */
interface LetterRows {
  of(y: number): number;
  places: Map<number, number[]>;
}

function letterRows(sorted: readonly Component[], letter: number): LetterRows {
  const of = (y: number) => Math.floor(y / (4 * letter));
  const places = new Map<number, number[]>();
  for (const [index, one] of sorted.entries()) {
    for (let row = of(one.top); row <= of(bottom(one)); row++) {
      const known = places.get(row);
      if (known) known.push(index);
      else places.set(row, [index]);
    }
  }
  return { of, places };
}

/** Position of the first number greater than this one. */
function firstAfter(numbers: readonly number[], number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How far apart two letters are; infinite if they can't be neighbours in a line. */
function costOf(one: Component, other: Component, letter: number): number {
  const [lower, higher] = one.height < other.height ? [one.height, other.height] : [other.height, one.height];
  if (higher > mostRatio * Math.max(lower, letter * 0.8)) return Infinity;
  const overlap = Math.min(bottom(one), bottom(other)) - Math.max(one.top, other.top);
  if (overlap < leastOverlap * lower) return Infinity;
  const gap = other.left - (one.left + one.width);
  // One above the other, as in two lines that touch.
  if (gap < -0.5 * Math.min(one.width, other.width)) return Infinity;
  return Math.max(0, gap) + 2 * (1 - overlap / lower) * lower + 0.5 * Math.abs(bottom(one) - bottom(other));
}

function bottom({ top, height }: Component): number {
  return top + height;
}
