import { boxAround } from '../image/box.ts';
import type { Component } from '../image/components.ts';
import { makeBands } from './bands.ts';
import { type Course, courseOf } from './baseline.ts';
import { type Gutters, isDivided } from './gutters.ts';

/** Letters of one line, or of a piece of it. */
export interface Chain extends Course {
  letters: Component[];
  left: number;
  right: number;
}

/** Pieces of a line are at most this far apart, in heights of a small letter, where no gutter is between them. */
const widestGap = 9;

/** `slope` is that of the page. */
export function asChain(letters: Component[], slope: number): Chain {
  const { left, width } = boxAround(letters);
  return { ...courseOf(letters, slope), letters, left, right: left + width };
}

/** Puts pieces of the same line together: side by side, or one within the gaps of the other. */
export function joinChains(
  chains: readonly Chain[],
  gutters: Gutters,
  { letter, slope }: { letter: number; slope: number },
): Chain[] {
  const waiting = chains.toSorted((one, other) => weight(other) - weight(one));
  const bands = makeBands<Chain>(4 * letter);
  for (const one of waiting) bands.add(one, ...extent(one));
  const taken = new Set<Chain>();
  const done: Chain[] = [];
  for (const first of waiting) {
    if (taken.has(first)) continue;
    bands.remove(first);
    let line = first;
    for (;;) {
      const [top, bottom] = extent(line);
      const near = bands.near(top, bottom).filter((one) => belong(line, one, gutters, letter));
      if (near.length === 0) break;
      for (const one of near) {
        taken.add(one);
        bands.remove(one);
      }
      line = asChain(
        [line, ...near].flatMap(({ letters }) => letters),
        slope,
      );
    }
    done.push(line);
  }
  return done;
}

/** The heights between which the letters of the line stand. */
function extent({ letters }: Chain): [top: number, bottom: number] {
  const { top, height } = boxAround(letters);
  return [top, top + height];
}

/** How much the lines of a page fall to the right: the middle of the longer ones. */
export function slopeOf(chains: readonly Component[][], letter: number): number {
  const slopes = chains
    .filter((letters) => letters.length >= 8)
    .map((letters) => asChain(letters, 0))
    .filter(({ left, right }) => right - left > 12 * letter)
    .map(({ at, left, right }) => (at(right) - at(left)) / (right - left))
    .sort((one, other) => one - other);
  return slopes[slopes.length >> 1] ?? 0;
}

function weight({ letters }: Chain): number {
  return letters.reduce((sum, { width }) => sum + width, 0);
}

function belong(line: Chain, piece: Chain, gutters: Gutters, letter: number): boolean {
  const gap = Math.max(line.left - piece.right, piece.left - line.right);
  if (gap > widestGap * letter) return false;
  const [smaller, larger] = line.body < piece.body ? [line.body, piece.body] : [piece.body, line.body];
  if (larger > 2.5 * Math.max(smaller, 0.8 * letter)) return false;
  // Where they meet; a short piece has no direction of its own.
  const place = piece.left > line.right ? piece.left : piece.right < line.left ? piece.right : middle(piece);
  const away = awayAt(line, piece, place);
  const isOverlapping = gap < 0;
  const isShort = piece.letters.length <= 3;
  // A comma hangs below the line.
  const isClose = gap < 0.5 * letter;
  if (away > (isClose && isShort ? 0.7 : 0.4) * larger) return false;
  if (isWithin(piece, line)) return isShort || areInterleaved(line, piece);
  const row = line.at(place) - Math.min(line.body, piece.body) / 2;
  // They may overlap by a piece of the rule that is between them.
  const [from, to] = [Math.min(line.right, piece.right), Math.max(line.left, piece.left)];
  const spare = isOverlapping ? letter : 0;
  return !isDivided(gutters, Math.min(from, to) - spare, Math.max(from, to) + spare, row);
}

/** How far the piece is above or below the line. The end of a short piece may be a footnote's mark, so its middle counts too. */
function awayAt(line: Chain, piece: Chain, place: number): number {
  const away = Math.abs(piece.at(place) - line.at(place));
  if (line.letters.length < 2 * piece.letters.length) return away;
  return Math.min(away, Math.abs(piece.at(middle(piece)) - line.at(middle(piece))));
}

function middle({ left, right }: Chain): number {
  return (left + right) / 2;
}

function isWithin(piece: Chain, line: Chain): boolean {
  return piece.left >= line.left && piece.right <= line.right;
}

/** Whether hardly any letter of the one stands above or below a letter of the other. */
function areInterleaved(line: Chain, piece: Chain): boolean {
  const meeting = piece.letters.filter((one) =>
    line.letters.some(
      (other) =>
        Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left) >
        0.5 * Math.min(one.width, other.width),
    ),
  );
  return meeting.length * 4 <= piece.letters.length;
}
