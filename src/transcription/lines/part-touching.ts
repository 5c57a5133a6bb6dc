import type { Component } from '../image/components.ts';
import { type Bands, makeBands } from './bands.ts';
import type { Ink } from './ink.ts';

/** All in heights of a small letter. Lower ones have room in one line. */
const leastHeight = 2.1;
const leastNeighbour = 0.7;
const mostNeighbour = 2;
/** How far beside a letter its neighbours are looked for. */
const reach = 2.5;
/** Middles of letters in the same line are closer to each other than this. */
const leastPitch = 0.9;
/** A neighbour of at least this share of the height belongs to the same large type. */
const asLarge = 0.8;
/** Letters of up to four lines hang together. */
const rounds = 3;

/**
 * Parts letters of two lines that touch each other, as in newspapers set without leading: the lines would seem to be one. Such letters
 * have neighbours in both lines, on their left and on their right; a drop capital has none on its left.
 */
export function partTouching(ink: Ink, letters: readonly Component[]): Component[] {
  let all = [...letters];
  for (let round = 0; round < rounds; round++) {
    const bands = makeBands<Component>(4 * ink.letter);
    for (const one of all) bands.add(one, one.top, bottom(one));
    const parted = all.flatMap((one) => {
      const row = rowBetween(one, bands, ink.letter);
      return row === undefined ? [one] : [part(ink, one, one.top, row), part(ink, one, row, bottom(one))];
    });
    if (parted.length === all.length) break;
    all = parted.filter((one) => one.ink > 0);
  }
  return all;
}

/** Where the first line that a letter stands in ends and the next one begins. */
function rowBetween(one: Component, bands: Bands<Component>, letter: number): number | undefined {
  if (one.height < leastHeight * letter) return undefined;
  const near = bands.near(one.top, bottom(one)).filter((other) => isBeside(one, other, letter));
  if (near.some(({ height }) => height >= asLarge * one.height)) return undefined;
  if (!near.some(({ left }) => left < one.left) || !near.some((other) => right(other) > right(one)))
    return undefined;
  const lines = near
    .filter(({ height }) => height >= leastNeighbour * letter && height <= mostNeighbour * letter)
    .sort((other, another) => middle(other) - middle(another));
  const next = lines.findIndex(
    (other, index) =>
      index > 0 && middle(other) - middle(lines[index - 1] as Component) > leastPitch * letter,
  );
  if (next < 1) return undefined;
  const second = lines[next] as Component;
  const upper = lines.slice(0, next);
  const lower = lines.slice(next).filter((other) => middle(other) - middle(second) <= leastPitch * letter);
  const row = Math.round((median(upper.map(bottom)) + median(lower.map(({ top }) => top))) / 2);
  return row > one.top + 0.4 * letter && row < bottom(one) - 0.4 * letter ? row : undefined;
}

function isBeside(one: Component, other: Component, letter: number): boolean {
  if (one === other) return false;
  const gap = Math.max(one.left - right(other), other.left - right(one));
  const shared = Math.min(bottom(one), bottom(other)) - Math.max(one.top, other.top);
  return gap <= reach * letter && gap > -0.5 * other.width && shared > 0.5 * other.height;
}

/** The rows of a letter from one to before another, as wide as its ink is there. */
function part({ data, width }: Ink, one: Component, top: number, end: number): Component {
  let [left, last, ink] = [right(one), one.left - 1, 0];
  for (let y = top; y < end; y++) {
    for (let x = one.left; x < right(one); x++) {
      if (data[y * width + x] !== 1) continue;
      ink++;
      left = Math.min(left, x);
      last = Math.max(last, x);
    }
  }
  return { left, top, width: last + 1 - left, height: end - top, ink };
}

function right({ left, width }: Component): number {
  return left + width;
}

function bottom({ top, height }: Component): number {
  return top + height;
}

function middle({ top, height }: Component): number {
  return top + height / 2;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
