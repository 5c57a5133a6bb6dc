import { type Component, findComponents } from '../layout/components.ts';
import type { Ink } from './ink.ts';

export interface Marks {
  /** Whole letters, or several that touch: what lines are made of. */
  letters: Component[];
  /** Dots, accents, commas, hyphens: they belong to the line that they stand in. */
  small: Component[];
  pictures: Component[];
}

/** In heights of a small letter. */
const smallest = 0.15;
const leastLetter = 0.5;
/** Headlines have letters up to this size. */
const mostLetter = 9;
const widestTouching = 40;

/** Sorts what is on the page by its size and form. Pictures are removed from the ink. */
export function findMarks(ink: Ink): Marks {
  const { letter } = ink;
  const marks: Marks = { letters: [], small: [], pictures: [] };
  for (const one of findComponents(ink)) {
    const { width, height } = one;
    const longer = Math.max(width, height);
    if (longer < smallest * letter || one.ink < 2) continue;
    const isTooLarge = height > mostLetter * letter || width > widestTouching * letter;
    if (isTooLarge || (height > 4 * letter && width > 12 * letter)) {
      marks.pictures.push(one);
      blank(ink, one);
    } else if (height < leastLetter * letter) marks.small.push(one);
    else marks.letters.push(one);
  }
  return marks;
}

/** Text may lie within the box of a frame, so only frames full of ink are blanked whole. */
function blank({ data, width }: Ink, one: Component): void {
  if (one.ink < 0.2 * one.width * one.height) return;
  for (let y = one.top; y < one.top + one.height; y++)
    data.fill(0, y * width + one.left, y * width + one.left + one.width);
}
