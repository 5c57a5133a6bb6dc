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

/** Maximum distance of pieces of a line without a gutter between them, in heights of a small letter. */
const widestGap = 9;

/** `slope` is that of the page. */
export function asChain(letters: Component[], slope: number): Chain {
  const { left, width } = boxAround(letters);
  return { ...courseOf(letters, slope), letters, left, right: left + width };
}

/** Joins pieces of the same line: side by side, or one in the gaps of the other. */
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

/** Median slope of the longer lines, downwards to the right. */
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
  // Compare where they meet, because a short piece has no reliable slope.
  const place = piece.left > line.right ? piece.left : piece.right < line.left ? piece.right : middle(piece);
  const away = awayAt(line, piece, place);
  const isOverlapping = gap < 0;
  const isShort = piece.letters.length <= 3;
  // A comma hangs below the line.
  const isClose = gap < 0.5 * letter;
  if (away > (isClose && isShort ? 0.7 : 0.4) * larger) return false;
  if (isWithin(piece, line)) return isShort || areInterleaved(line, piece);
  const row = line.at(place) - Math.min(line.body, piece.body) / 2;
  // They may overlap by a remnant of the rule between them.
  const [from, to] = [Math.min(line.right, piece.right), Math.max(line.left, piece.left)];
  const spare = isOverlapping ? letter : 0;
  return !isDivided(gutters, Math.min(from, to) - spare, Math.max(from, to) + spare, row);
}

/** Vertical distance of the piece from the line. A short piece may end in a footnote mark, so try its middle too. */
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

/** Whether hardly any letters of the two overlap horizontally. */
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
