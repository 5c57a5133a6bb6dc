import type { Output } from '../../api/call.ts';

export type PageText = Output<'document.text'>;

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Numbers count from 0 through the page in reading order. */
export interface Word {
  number: number;
  line: number;
  text: string;
  box: Box;
  confidence: number | null;
}

export interface Line {
  number: number;
  box: Box;
  words: readonly Word[];
  confidence: number | null;
  kind: PageText['lines'][number]['kind'];
  /** The first line of a paragraph stands apart. */
  beginsParagraph: boolean;
}

export interface Reading {
  lines: readonly Line[];
  words: readonly Word[];
}

export function readingOf({ lines }: Pick<PageText, 'lines'>): Reading {
  const words: Word[] = [];
  const shown = lines.map((line, number): Line => {
    const [left, top, width, height] = line.box;
    const own = line.words.map(([text, x, y, w, h, confidence]): Word => {
      const word = {
        number: words.length,
        line: number,
        text,
        box: { left: x, top: y, width: w, height: h },
        confidence,
      };
      words.push(word);
      return word;
    });
    const beginsParagraph = number > 0 && lines[number - 1]?.paragraph !== line.paragraph;
    return {
      number,
      box: { left, top, width, height },
      words: own,
      confidence: line.confidence,
      kind: line.kind,
      beginsParagraph,
    };
  });
  return { lines: shown, words };
}

export const isDoubtful = ({ confidence }: Pick<Word, 'confidence'>, below: number): boolean =>
  confidence !== null && confidence < below;

/** The next word after `from` for which `wanted` holds; backwards with -1. Undefined at the end of the page. */
export function nextWord(
  { words }: Reading,
  from: number | undefined,
  wanted: (word: Word) => boolean,
  step: 1 | -1 = 1,
): Word | undefined {
  const start = from === undefined ? (step === 1 ? 0 : words.length - 1) : from + step;
  for (let index = start; index >= 0 && index < words.length; index += step) {
    const word = words[index];
    if (word && wanted(word)) return word;
  }
  return undefined;
}

/** The word of the line above or below that stands nearest under this one. */
export function wordInNextLine(reading: Reading, from: number | undefined, step: 1 | -1): Word | undefined {
  const word = from === undefined ? undefined : reading.words[from];
  if (!word) return step === 1 ? reading.words[0] : reading.words.at(-1);
  const middle = middleOf(word.box);
  for (let index = word.line + step; ; index += step) {
    const line = reading.lines[index];
    if (!line) return undefined;
    const nearest = nearestTo(line.words, middle);
    if (nearest) return nearest;
  }
}

/** What is at this place of the image: the word itself, or the nearest one of the line. */
export function wordAt({ lines }: Reading, x: number, y: number): Word | undefined {
  let best: { word: Word; area: number } | undefined;
  for (const line of lines) {
    if (!contains(line.box, x, y)) continue;
    const word = line.words.find(({ box }) => contains(box, x, y)) ?? nearestTo(line.words, x);
    const area = line.box.width * line.box.height;
    // A small line within a larger one was meant.
    if (word && (!best || area < best.area)) best = { word, area };
  }
  return best?.word;
}

/** The word whose box begins here, as search names it. */
export function wordFrom({ words }: Reading, left: number, top: number): Word | undefined {
  return words.find(({ box }) => box.left === left && box.top === top);
}

const middleOf = ({ left, width }: Box) => left + width / 2;
const contains = ({ left, top, width, height }: Box, x: number, y: number) =>
  x >= left && y >= top && x <= left + width && y <= top + height;

/** Sideways; 0 within the box. */
const distance = ({ left, width }: Box, x: number) => Math.max(left - x, 0, x - left - width);

function nearestTo(words: readonly Word[], x: number): Word | undefined {
  let best: Word | undefined;
  for (const word of words) if (!best || distance(word.box, x) < distance(best.box, x)) best = word;
  return best;
}
