import { boxAround } from '../image/box.ts';
import type { Component } from '../image/components.ts';
import type { Grey } from '../image/grey.ts';
import type { Box } from '../page/page.ts';
import { makeBands } from './bands.ts';
import { weightedQuantile } from './baseline.ts';
import { chainLetters } from './chains.ts';
import { findGutters, type Gutters, isDivided } from './gutters.ts';
import { findInk, type Ink } from './ink.ts';
import { asChain, type Chain, joinChains, slopeOf } from './join-chains.ts';
import { findMarks, type Marks } from './marks.ts';
import { partTouching } from './part-touching.ts';
import { takeOutRules } from './rules.ts';

export interface Point {
  x: number;
  y: number;
}

/** Where a line of text is, in pixels of the page. */
export interface FoundLine {
  /** At least two points, from left to right. */
  baseline: Point[];
  /** How far letters reach above and below the baseline. */
  ascent: number;
  descent: number;
  /** Height of a small letter. */
  body: number;
}

export interface FoundLines {
  lines: FoundLine[];
  rules: Box[];
  pictures: Box[];
}

/** Finds the lines of text on a page, in no particular order: printed or typed, in columns, slightly skewed or curved. */
export function findLines(page: Grey): FoundLines {
  const ink = findInk(page);
  const rules = takeOutRules(ink);
  const marks = findMarks(ink);
  const letters = partTouching(ink, marks.letters);
  const gutters = findGutters(ink, [...letters, ...marks.leaders], rules.barrier);
  const pieces = chainLetters(letters, gutters, ink.letter);
  const slope = slopeOf(pieces, ink.letter);
  const joined = joinChains(
    pieces.map((letters) => asChain(letters, slope)),
    gutters,
    { letter: ink.letter, slope },
  ).filter((chain) => isText(chain, ink.letter));
  const chains = withoutGhosts(joined, ink.letter);
  giveSmall(marks, chains, gutters, ink.letter);
  const enlarge = enlarger(ink, page);
  return {
    lines: chains.map((chain) => asLine(chain, ink)),
    rules: [...rules.upright, ...rules.level].map(enlarge),
    pictures: marks.pictures.map(enlarge),
  };
}

/** A single mark is a page number, or dust. */
function isText({ letters, left, right, body }: Chain, letter: number): boolean {
  if (right - left < 0.5 * letter || body < 0.55 * letter) return false;
  if (letters.length > 2) return true;
  return letters.some(({ width, height, ink }) => height >= 0.8 * letter && ink * 8 >= width * height);
}

/** Removes false lines, made of letters that touch those of several lines. */
function withoutGhosts(chains: readonly Chain[], letter: number): Chain[] {
  const bands = makeBands<Chain>(4 * letter);
  const boxes = new Map(chains.map((chain) => [chain, boxAround(chain.letters)]));
  for (const [chain, { top, height }] of boxes) bands.add(chain, top, top + height);
  return chains.filter((chain) => {
    const { top, height } = boxes.get(chain) ?? boxAround([]);
    const covered = bands.near(top, top + height).reduce((sum, other) => {
      if (other === chain || other.letters.length <= 2 * chain.letters.length) return sum;
      const x = (chain.left + chain.right) / 2;
      const across = Math.min(chain.right, other.right) - Math.max(chain.left, other.left);
      const down =
        Math.min(chain.at(x), other.at(x)) - Math.max(chain.at(x) - chain.body, other.at(x) - other.body);
      return sum + Math.max(0, across) * Math.max(0, down);
    }, 0);
    return covered < mostCovered * (chain.right - chain.left) * chain.body;
  });
}

const mostCovered = 0.4;

/** Assigns dots, accents and hyphens to their lines. */
function giveSmall(
  { small, leaders }: Marks,
  chains: readonly Chain[],
  gutters: Gutters,
  letter: number,
): void {
  const bands = makeBands<Chain>(4 * letter);
  for (const line of chains) {
    const { top, height } = boxAround(line.letters);
    bands.add(line, top - line.body, top + height);
  }
  // Measure from the line's own letters, not from marks assigned to it: leader dots don't belong to it.
  const ends = new Map(chains.map((line) => [line, { left: line.left, right: line.right }]));
  for (const mark of [...small, ...leaders]) {
    const x = mark.left + mark.width / 2;
    const foot = mark.top + mark.height;
    let best: { line: Chain; away: number } | undefined;
    for (const line of bands.near(mark.top, foot)) {
      // Beside large letters, marks of this size are dust.
      const size = Math.max(letter, Math.min(line.body, 2 * letter));
      const { left, right } = ends.get(line) ?? line;
      const gap = Math.max(left - (mark.left + mark.width), mark.left - right);
      if (gap > (isDash(mark, line) ? furthestDash : furthestMark) * size) continue;
      const middle = mark.top + mark.height / 2;
      // A gutter begins right after the last letter, so a hyphen may stand in it.
      const isFar = gap > besideLetter * size;
      if (isFar && (isDivided(gutters, x, left, middle) || isDivided(gutters, right, x, middle))) continue;
      const above = line.at(x) - foot;
      if (above < -0.6 * line.body || above > 1.7 * line.body) continue;
      const away = Math.abs(above - 0.5 * line.body);
      if (away < (best?.away ?? Infinity)) best = { line, away };
    }
    if (!best) continue;
    best.line.letters.push(mark);
    best.line.left = Math.min(best.line.left, mark.left);
    best.line.right = Math.max(best.line.right, mark.left + mark.width);
  }
}

/** Maximum distances of marks from the last letter, in heights of a small letter. */
const besideLetter = 0.8;
const furthestMark = 1.2;
/** As in "— 12 —", or at the start of a list item. */
const furthestDash = 3;

/** Whether a mark is wider than high, and stands at half the height of the letters. */
function isDash({ left, top, width, height }: Component, { at, body }: Chain): boolean {
  const above = at(left + width / 2) - top - height / 2;
  return width >= 2 * height && width >= 0.4 * body && above > 0.15 * body && above < 0.85 * body;
}

/** Range of ascent and descent, in heights of a small letter; text beyond belongs to another line. */
const ascents = [1.4, 2.2] as const;
const descents = [0.4, 0.8] as const;

function asLine({ letters, at, body, left, right }: Chain, { factor }: Ink): FoundLine {
  const above = (one: Component) => at(one.left + one.width / 2) - one.top;
  const below = (one: Component) => one.top + one.height - at(one.left + one.width / 2);
  const within = (value: number, [least, most]: readonly [number, number]) =>
    Math.min(most * body, Math.max(least * body, value));
  const length = right - left;
  const steps = Math.max(1, Math.min(8, Math.round(length / (12 * body))));
  const baseline = Array.from({ length: steps + 1 }, (_, step) => {
    const x = left + (length * step) / steps;
    return { x: x * factor, y: at(x) * factor };
  });
  return {
    baseline,
    // One accented capital is enough; anything higher belongs to the line above.
    ascent:
      within(Math.max(...letters.map(above).filter((one) => one <= ascents[1] * body)), ascents) * factor,
    descent: within(weightedQuantile(letters, below, 0.97), descents) * factor,
    body: body * factor,
  };
}

function enlarger({ factor }: Ink, page: Grey): (box: Box) => Box {
  return ({ left, top, width, height }) => ({
    left: left * factor,
    top: top * factor,
    width: Math.min(page.width - left * factor, width * factor),
    height: Math.min(page.height - top * factor, height * factor),
  });
}
