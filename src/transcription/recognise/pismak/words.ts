import { boxAround } from '../../image/box.ts';
import type { FoundLine } from '../../lines/find-lines.ts';
import type { Box, Line, Word } from '../../page/page.ts';
import type { Strip } from './cut-line.ts';
import type { ReadLetter } from './decode.ts';
import { type LineInk, normaliseLine } from './normalise-line.ts';
import { columnsPerAnswer } from './read-lines.ts';

/** A line of words with their places on the page; undefined if nothing was read. */
export function asLine(
  letters: readonly ReadLetter[],
  strip: Strip,
  found: FoundLine,
  page: { width: number; height: number },
): Line | undefined {
  const ink = normaliseLine(strip);
  const words = splitWords(letters).map((word): Word => {
    const [start, end] = trim(ink, word.from * columnsPerAnswer, word.to * columnsPerAnswer);
    return { text: word.text, box: boxOf(strip, start, end, page), confidence: word.confidence };
  });
  if (words.length === 0) return undefined;
  const baseline = found.baseline.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
  return { box: boxAround(words.map(({ box }) => box)), baseline, words };
}

interface ReadWord {
  text: string;
  /** Columns of the output, from the middle of the space before the word to that after it. */
  from: number;
  to: number;
  confidence: number;
}

/** Splits at spaces. A word is right if all its letters are, so its confidence is their product. */
export function splitWords(letters: readonly ReadLetter[]): ReadWord[] {
  const words: ReadWord[] = [];
  let current: ReadLetter[] = [];
  let from = 0;
  const finish = (to: number) => {
    if (current.length > 0)
      words.push({
        text: withOneUmlaut(current.map(({ text }) => text).join('')),
        from,
        to,
        confidence: current.reduce((all, { confidence }) => all * confidence, 1),
      });
    current = [];
    from = to;
  };
  for (const letter of letters) {
    if (letter.text === ' ') finish((letter.start + letter.end) / 2);
    else current.push(letter);
  }
  finish(Infinity);
  return words;
}

/** If the network read both a small e and two dots above a letter, keep the e. */
function withOneUmlaut(text: string): string {
  return text.replaceAll(/[äöüÄÖÜ]\u0364/g, (found) => found.normalize('NFD').replace('\u0308', ''));
}

/** Thin letters on dark paper are hardly darker than it, so use the network's view of ink. */
const leastInk = 0.5;

/** Trims paper from both ends of a word. */
function trim({ data, width, height }: LineInk, from: number, to: number): [start: number, end: number] {
  let start = Math.max(0, Math.min(width - 1, Math.round(from)));
  let end = Math.max(start + 1, Math.min(width, Math.round(to)));
  const hasInk = (column: number) => {
    for (let row = height >> 3; row < height - (height >> 3); row++)
      if ((data[row * width + column] as number) > leastInk) return true;
    return false;
  };
  while (start < end - 1 && !hasInk(start)) start++;
  while (end > start + 1 && !hasInk(end - 1)) end--;
  return [start, end];
}

function boxOf(strip: Strip, start: number, end: number, page: { width: number; height: number }): Box {
  const [first, last] = [strip.placeOf(start), strip.placeOf(end)];
  const within = (value: number, most: number) => Math.max(0, Math.min(most, Math.round(value)));
  const left = within(first.x, page.width - 1);
  const top = within(Math.min(first.top, last.top), page.height - 1);
  return {
    left,
    top,
    width: Math.max(1, within(last.x, page.width) - left),
    height: Math.max(1, within(Math.max(first.bottom, last.bottom), page.height) - top),
  };
}
