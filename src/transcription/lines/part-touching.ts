import type { Component } from '../image/components.ts';
import { type Bands, makeBands } from './bands.ts';
import type { Ink } from './ink.ts';

/** In heights of a small letter. Lower components fit in one line. */
const leastHeight = 2.1;
const leastNeighbour = 0.7;
const mostNeighbour = 2;
/** Maximum distance of neighbours to the side. */
const reach = 2.5;
/** Maximum vertical distance of letter centres in the same line. */
const leastPitch = 0.9;
/** A neighbour at least this high, relative to the letter, belongs to the same large type. */
const asLarge = 0.8;
/** Letters of up to four lines may be connected. */
const rounds = 3;

/**
 * Separates letters of two lines that touch, as in newspapers set without leading, where lines would merge. Such letters have
 * neighbours in both lines on both sides; a drop capital has none on its left.
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

/** The row where the first line of a component ends and the next begins. */
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

/** The part of a component between two rows, as wide as its ink there. */
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
