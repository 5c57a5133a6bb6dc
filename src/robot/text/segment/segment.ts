import { detectLanguage } from '../language/language.ts';
import { classOf, isSpace } from './character-classes.ts';
import { splitSentences } from './sentences.ts';
import { type Sentence, usabilityOf } from './usability.ts';
import { measure } from './words.ts';

export interface SegmentOptions {
  /** Wanted languages (ISO 639-1); empty: all. */
  languages: readonly string[];
  /** Paragraphs with fewer words are dropped, unless they are a whole sentence. */
  shortest?: number;
}

export interface Segmented {
  /** 0..1: how much of it is running text in a wanted language. */
  usability: number;
  /** Has hardly any running text, so that it says nothing about the pages behind its links. */
  isList: boolean;
  language: string;
  languageScore: number;
  /** Sentences, paragraph by paragraph, without fragments. */
  paragraphs: string[][];
  words: number;
  sentences: number;
}

const defaultShortest = 4;

/** Paragraphs are parted by blank lines, as the cleaner writes them. */
export function segment(text: string, options: SegmentOptions): Segmented {
  const shortest = options.shortest ?? defaultShortest;
  const paragraphs: Sentence[][] = [];
  let words = 0;
  let dropped = 0;
  let sentences = 0;
  for (const lines of paragraphsIn(text)) {
    const kept: Sentence[] = [];
    for (const line of lines) {
      for (const sentence of splitSentences(line)) {
        const { words: count, letters } = measure(sentence);
        if (count < shortest && !(letters > 0 && endsSentence(sentence))) {
          dropped += count;
          continue;
        }
        kept.push({ text: sentence, words: count, letters });
        words += count;
      }
    }
    if (kept.length === 0) continue;
    paragraphs.push(kept);
    sentences += kept.length;
  }
  const plain = paragraphs.map((paragraph) => paragraph.map((sentence) => sentence.text));
  const { language, score } = detectLanguage(plain.map((each) => each.join(' ')).join('\n') || text);
  const fits = options.languages.length === 0 || options.languages.includes(language);
  const { usability: share, isList } = usabilityOf(paragraphs, dropped);
  const usability = fits ? share * fitnessOf(score) : 0;
  return { usability, isList, language, languageScore: score, paragraphs: plain, words, sentences };
}

/** A guess is worth half, certainty all. */
function fitnessOf(score: number): number {
  return Math.min(1, 0.2 + score);
}

/**
 * The lines of each paragraph. A line that goes on in the next one (wrapped text of a file or a PDF) is put together again; other lines
 * stand for themselves.
 */
function paragraphsIn(text: string): string[][] {
  const paragraphs: string[][] = [];
  let lines: JoinedLine[] = [];
  const end = () => {
    if (lines.length > 0) paragraphs.push(lines.map(({ parts }) => parts.join('')));
    lines = [];
  };
  for (const raw of text.split('\n')) {
    const line = hasOddSpace(raw) ? raw.replaceAll(/\s+/g, ' ').trim() : raw;
    const last = lines.at(-1);
    if (line === '') end();
    else if (last !== undefined && goesOn(last, line)) joinTo(last, line);
    else lines.push({ parts: [line], length: line.length, end: line.slice(-endLength) });
  }
  end();
  return paragraphs;
}

/** A line made of several. It is put together at the end: a file may have a million lines that go on. */
interface JoinedLine {
  parts: string[];
  length: number;
  /** Its last characters, which say whether it goes on. */
  end: string;
}

const endLength = 4;

function joinTo(line: JoinedLine, next: string): void {
  const { parts, end } = line;
  const isDivided = /\p{Ll}-$/u.test(end);
  if (isDivided) parts[parts.length - 1] = parts.at(-1)?.slice(0, -1) ?? '';
  const added = isDivided ? next : ` ${next}`;
  parts.push(added);
  line.length += added.length - (isDivided ? 1 : 0);
  line.end = `${isDivided ? end.slice(0, -1) : end}${added.slice(-endLength)}`.slice(-endLength);
}

/** Whether there is white space that is not one space between words. */
function hasOddSpace(line: string): boolean {
  let isAfterSpace = true;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === 32) {
      if (isAfterSpace) return true;
      isAfterSpace = true;
    } else if ((code > 32 && code < 128) || classOf(code) !== isSpace) isAfterSpace = false;
    else return true;
  }
  return isAfterSpace && line !== '';
}

function endsSentence(text: string): boolean {
  return /[.?!…]["“”»)]*$/.test(text.slice(-4));
}

function goesOn({ end, length }: JoinedLine, next: string): boolean {
  if (/[.?!…:;]["“”»)]*$/.test(end)) return false;
  return /^[\p{Ll}(]/u.test(next) || /[,\p{Ll}]-$|,$/u.test(end) || (length > 60 && /^\p{L}/u.test(next));
}
