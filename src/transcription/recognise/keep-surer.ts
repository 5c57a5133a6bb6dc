import { insertRegions } from '../layout/insert-regions.ts';
import type { Box, Line, Page, Region, Word } from '../page/page.ts';
import { fitted, type Thresholds } from './thresholds.ts';

/** Words count for a reading above this confidence, and against it below, because most of those are invented. */
const even = 0.3;
/** Minimum number of additional sure letters for taking the layout of the second reading. */
const fewLetters = 5;
/** How much lower its mean confidence may be. */
const lessSure = 0.03;
/** A reading with so many times the sure letters of the other is better, however much surer the other is of the few that it has. */
const farMore = 1.5;

/** Letters that a reading probably got right, minus those it probably invented. */
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
  /** Whether the second reading is better as a whole. */
  second: boolean;
  /** Lines taken from the other reading. */
  replaced: number;
  added: number;
}

/**
 * Combines two readings of a page in the same pixels, line by line. Takes the layout of the surer reading, and replaces a line by
 * that of the other reading if it is clearly surer.
 */
export function keepSurer(first: Page, second: Page, { clearly, much, believed }: Thresholds = fitted): Kept {
  const [sure, rival] = [sureLetters(wordsOf(first)), sureLetters(wordsOf(second))];
  const isEmpty = wordsOf(first).length === 0;
  // Additional letters with less confidence are mostly invented.
  const isAsSure = confidenceOf(wordsOf(second)) >= confidenceOf(wordsOf(first)) - lessSure;
  const hasMore = rival > sure + Math.max(fewLetters, much * Math.abs(sure));
  const isSecond = isEmpty || (hasMore && (isAsSure || rival > farMore * Math.abs(sure)));
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

/** Whether two lines cover each other except for the ends. */
function isSamePlace(one: Box, other: Box): boolean {
  const across = shared(one.left, one.width, other.left, other.width);
  const down = shared(one.top, one.height, other.top, other.height);
  return across > 0.8 * Math.max(one.width, other.width) && down > 0.5 * Math.min(one.height, other.height);
}

/** Share of the smaller box that lies in the other. */
function overlap(one: Box, other: Box): number {
  const across = shared(one.left, one.width, other.left, other.width);
  const down = shared(one.top, one.height, other.top, other.height);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return smaller === 0 ? 0 : (Math.max(0, across) * Math.max(0, down)) / smaller;
}

function shared(start: number, size: number, otherStart: number, otherSize: number): number {
  return Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart);
}
