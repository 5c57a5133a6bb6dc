import { type Component, findComponents } from '../image/components.ts';
import type { Ink } from './ink.ts';

export interface Marks {
  /** Whole letters, or several that touch: what lines are made of. */
  letters: Component[];
  /** Dots, accents, commas and hyphens, which belong to the line they stand in. */
  small: Component[];
  /** Rows of dots that lead from a name to its number. */
  leaders: Component[];
  pictures: Component[];
}

/** In heights of a small letter. */
const smallest = 0.15;
const leastLetter = 0.5;
/** Maximum letter size, in headlines; above `mostLetter` only components shaped like letters count. */
const mostLetter = 9;
const mostOfTitle = 20;
const widestTouching = 40;

/** Classifies components by size and shape. Removes pictures from the ink. */
export function findMarks(ink: Ink): Marks {
  const { letter } = ink;
  const marks: Marks = { letters: [], small: [], leaders: [], pictures: [] };
  const titles: Component[] = [];
  const dots: Component[] = [];
  const addPicture = (one: Component) => {
    marks.pictures.push(one);
    blank(ink, one);
  };
  for (const one of findComponents(ink)) {
    const { width, height } = one;
    if (Math.max(width, height) < smallest * letter || one.ink < 2) continue;
    if (height < leastLetter * letter && width <= widestTouching * letter) marks.small.push(one);
    else if (isDot(one, letter)) dots.push(one);
    else if (height > mostLetter * letter && height <= mostOfTitle * letter && isLetter(one))
      titles.push(one);
    else if (height > mostLetter * letter || width > widestTouching * letter) addPicture(one);
    else if (height > 4 * letter && width > 12 * letter) addPicture(one);
    else marks.letters.push(one);
  }
  const leaders = leaderDots(dots, marks.letters, letter);
  for (const one of dots) (leaders.has(one) ? marks.leaders : marks.letters).push(one);
  const large = [...titles, ...marks.letters.filter(({ height }) => height > 3 * letter)];
  for (const one of titles) {
    if (large.some((other) => areNeighbours(one, other))) marks.letters.push(one);
    else addPicture(one);
  }
  return marks;
}

/** In heights of a small letter. */
const mostOfDot = 0.75;
const fullOfInk = 0.7;

/** Whether it is a round, filled mark, which may be as high as a low letter. */
function isDot({ width, height, ink }: Component, letter: number): boolean {
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  return most <= mostOfDot * letter && most <= 1.5 * least && ink >= fullOfInk * width * height;
}

/** Minimum dots in a leader, and maximum distance from the first to the last. */
const fewestLeaders = 6;
const widestLeaders = 12;

/** Dots in a row, separated by at least their width of paper; small letters of a coarse scan look like dots too. */
function leaderDots(
  dots: readonly Component[],
  letters: readonly Component[],
  letter: number,
): Set<Component> {
  const known = new Set(dots);
  const rows = Map.groupBy([...dots, ...letters], ({ top, height }) =>
    Math.round((top + height) / (0.5 * letter)),
  );
  const found = new Set<Component>();
  for (const row of rows.values()) {
    row.sort((one, other) => one.left - other.left);
    for (let first = 0; first + fewestLeaders <= row.length; first++) {
      const some = row.slice(first, first + fewestLeaders);
      if ((some.at(-1)?.left ?? 0) - (some[0]?.left ?? 0) > widestLeaders * letter) continue;
      const areApart = some.every((one, at) => {
        const next = some[at + 1];
        return known.has(one) && (!next || next.left - one.left >= 2 * one.width);
      });
      if (areApart) for (const one of some) found.add(one);
    }
  }
  return found;
}

/** Whether two letters of a title stand beside each other, on the same line. */
function areNeighbours(one: Component, other: Component): boolean {
  const gap = Math.max(one.left - other.left - other.width, other.left - one.left - one.width);
  const apart = Math.abs(one.top + one.height - other.top - other.height);
  return one !== other && gap < one.height && apart < 0.4 * one.height && other.height > 0.4 * one.height;
}

/** Whether it has the shape of a letter. Rules are narrower, pictures wider or blacker, and frames have less ink. */
function isLetter({ width, height, ink }: Component): boolean {
  const share = ink / (width * height);
  return width >= 0.2 * height && width <= 1.2 * height && share >= 0.15 && share <= 0.6;
}

/** Text may lie within the box of a frame, so only frames full of ink are blanked whole. */
function blank({ data, width }: Ink, one: Component): void {
  if (one.ink < 0.2 * one.width * one.height) return;
  for (let y = one.top; y < one.top + one.height; y++)
    data.fill(0, y * width + one.left, y * width + one.left + one.width);
}
