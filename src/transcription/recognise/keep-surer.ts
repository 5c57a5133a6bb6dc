import { insertRegions } from '../layout/insert-regions.ts';
import type { Box, Line, Page, Region, Word } from '../page/page.ts';
import { fitted, type Thresholds } from './thresholds.ts';

/** Words at least this sure count for a reading, others against it: most of them are made up. */
const even = 0.3;
/** The second reading must have at least so many sure letters more for its layout to be taken. */
const fewLetters = 5;
/** ... and its letters may be less sure by this. */
const lessSure = 0.03;

/** How many letters a reading has probably got right, less those it has probably made up. */
export function sureLetters(words: readonly Word[]): number {
  return words.reduce((sum, { text, confidence = even }) => sum + text.length * (confidence - even), 0);
}

export function linesOf(page: Page): Line[] {
  return page.regions.flatMap((region) => region.paragraphs.flatMap((paragraph) => paragraph.lines));
}

export function wordsOf(page: Page): Word[] {
  return linesOf(page).flatMap((line) => line.words);
}

/** Mean confidence of the letters, from 0 to 1; 0 for no text. */
export function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence = even }) => sum + text.length * confidence, 0);
  return letters === 0 ? 0 : sure / letters;
}

export interface Kept {
  page: Page;
  /** Whether the second reading is the better one as a whole. */
  second: boolean;
  /** Lines taken from the reading that is worse as a whole. */
  replaced: number;
  added: number;
}

/**
 * The surer of two readings of a page, line by line, in the same pixels. The layout is that of the reading that is surer as a
 * whole; a line of the other takes the place of one at the same place if it is clearly surer.
 */
export function keepSurer(first: Page, second: Page, { clearly, much, believed }: Thresholds = fitted): Kept {
  const [sure, rival] = [sureLetters(wordsOf(first)), sureLetters(wordsOf(second))];
  const isEmpty = wordsOf(first).length === 0;
  // More letters that are less sure are mostly made up.
  const isAsSure = confidenceOf(wordsOf(second)) >= confidenceOf(wordsOf(first)) - lessSure;
  const isSecond = isEmpty || (isAsSure && rival > sure + Math.max(fewLetters, much * Math.abs(sure)));
  const [base, other] = isSecond ? [second, first] : [first, second];
  const theirs = linesOf(other);
  const taken = new Set<Line>();
  let replaced = 0;
  const choose = (line: Line): Line => {
    const rivals = theirs.filter((one) => isSamePlace(one.box, line.box));
    for (const one of theirs) if (overlap(one.box, line.box) > 0.3) taken.add(one);
    const [rival] = rivals;
    if (rivals.length !== 1 || !rival) return line;
    const margin = clearly * lettersOf(line);
    if (sureLetters(rival.words) <= sureLetters(line.words) + margin) return line;
    replaced++;
    return rival;
  };
  const regions = base.regions.map((region) => ({
    ...region,
    paragraphs: region.paragraphs.map((paragraph) => ({ ...paragraph, lines: paragraph.lines.map(choose) })),
  }));
  const alone = theirs.filter(
    (line) => !taken.has(line) && lettersOf(line) >= 4 && confidenceOf(line.words) >= believed,
  );
  return {
    page: { ...base, regions: insertRegions(regions, alone.map(asRegion)) },
    second: isSecond,
    replaced,
    added: alone.length,
  };
}

function lettersOf({ words }: Line): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function asRegion(line: Line): Region {
  return { kind: 'text', box: line.box, paragraphs: [{ box: line.box, lines: [line] }] };
}

/** Whether two lines cover each other but for the ends. */
function isSamePlace(one: Box, other: Box): boolean {
  const across = shared(one.left, one.width, other.left, other.width);
  const down = shared(one.top, one.height, other.top, other.height);
  return across > 0.8 * Math.max(one.width, other.width) && down > 0.5 * Math.min(one.height, other.height);
}

/** The part of the smaller box that is in the other one. */
function overlap(one: Box, other: Box): number {
  const across = shared(one.left, one.width, other.left, other.width);
  const down = shared(one.top, one.height, other.top, other.height);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return smaller === 0 ? 0 : (Math.max(0, across) * Math.max(0, down)) / smaller;
}

function shared(start: number, size: number, otherStart: number, otherSize: number): number {
  return Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart);
}
