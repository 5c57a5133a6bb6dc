import type { PageBlock, PageElement } from '../html/page-tree.ts';
import { phraseLength, phrasesIn } from './phrases.ts';

/** What a text tells by itself. */
interface DescribedText {
  length: number;
  words: number;
  commas: number;
  stops: number;
  digits: number;
  capitals: number;
  startsCapital: boolean;
  endsSentence: boolean;
  /** The features that it sets by what it says. */
  phrases: readonly number[];
}

/** A block, and what its text tells. */
export interface DescribedBlock extends DescribedText {
  element: PageElement;
  linked: number;
  text: string;
  linkShare: number;
  /** Long enough, with full stops, and no link: it reads like prose. */
  isProse: boolean;
  /** Blocks of the same style are the same kind of thing: paragraphs of the text, lines of a menu. */
  style: string;
}

const proseLength = 80;

export function describeBlock({ element, linked }: PageBlock, text: string): DescribedBlock {
  const described = describeText(text);
  const { length, words, commas, stops, digits, capitals, startsCapital, endsSentence, phrases } = described;
  const linkShare = length === 0 ? 0 : Math.min(1, linked / length);
  return {
    element,
    linked,
    text,
    length,
    words,
    commas,
    stops,
    digits,
    capitals,
    startsCapital,
    endsSentence,
    phrases,
    linkShare,
    isProse: length >= proseLength && linkShare < 0.5 && stops > 0,
    style: styleOf(element),
  };
}

/** Menus and footers are the same on every page of a site. */
const known = new Map<string, DescribedText>();
const mostKnown = 5_000;
const longestKnown = 100;

function describeText(text: string): DescribedText {
  if (text.length > longestKnown) return readText(text);
  let described = known.get(text);
  if (described === undefined) {
    described = readText(text);
    if (known.size >= mostKnown) known.clear();
    known.set(text, described);
  }
  return described;
}

function readText(text: string): DescribedText {
  const { length } = text;
  let words = 1;
  let commas = 0;
  let stops = 0;
  let digits = 0;
  let capitals = 0;
  let firstDigit = length;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    const kind = code < kinds.length ? (kinds[code] as number) : kindOf(code);
    // Most characters are small letters.
    if (kind === nothing) continue;
    if (kind === space) words += 1;
    else if (kind === comma) commas += 1;
    else if (kind === stop) {
      const next = text.charCodeAt(index + 1);
      if (index + 1 === length || next === 32 || next === 10) stops += 1;
    } else if (kind === digit) {
      if (digits === 0) firstDigit = index;
      digits += 1;
    } else capitals += 1;
  }
  return {
    length,
    words,
    commas,
    stops,
    digits,
    capitals,
    startsCapital: isCapital(text.charCodeAt(/^["'„“‘(]/.test(text) ? 1 : 0)),
    endsSentence: /[.?!…:]["”“’'»)]*$/.test(length > 20 ? text.slice(-8) : text),
    phrases: phrasesIn(text, firstDigit < phraseLength),
  };
}

const nothing = 0;
const space = 1;
const comma = 2;
const stop = 3;
const digit = 4;
const capital = 5;

function kindOf(code: number): number {
  if (code === 32 || code === 10 || code === 9) return space;
  if (code === 44) return comma;
  if (code === 46 || code === 63 || code === 33 || code === 0x2026) return stop;
  if (code >= 48 && code <= 57) return digit;
  return isCapital(code) ? capital : nothing;
}

/** Of Latin letters and what stands between them: asking takes twice as long. */
const kinds = Uint8Array.from({ length: 0x180 }, (_, code) => kindOf(code));

export function isCapital(code: number): boolean {
  if (code < 128) return code >= 65 && code <= 90;
  // Latin letters with diacritics stand in pairs, the capital first; two gaps shift them by one.
  if (code >= 0xc0 && code <= 0xde) return code !== 0xd7;
  if (code >= 0x100 && code <= 0x17f) {
    const shifted = (code >= 0x139 && code <= 0x148) || code >= 0x179;
    return (code & 1) === (shifted ? 1 : 0);
  }
  return (code >= 0x391 && code <= 0x3a9) || (code >= 0x400 && code <= 0x42f);
}

/** Blocks that lie in one element have the same. */
function styleOf(element: PageElement): string {
  element.style ??= `${element.parent?.parent?.name}.${element.parent?.name}.${styleWord(element.parent)}>${element.name}.${styleWord(element)}`;
  return element.style;
}

function styleWord(element: PageElement | undefined): string {
  const words = element?.words ?? '';
  if (words === '') return '';
  const end = words.indexOf(' ');
  const word = end < 0 ? words : words.slice(0, end);
  // Numbers in names differ from block to block.
  return /\d/.test(word) ? word.replaceAll(/\d+/g, '') : word;
}
