import { detectLanguage } from '../language/language.ts';
import { splitSentences } from './sentences.ts';
import { type Sentence, usabilityOf } from './usability.ts';
import { measure } from './words.ts';

export interface SegmentOptions {
  /** The languages wanted, ISO 639-1; with none, every language is as good as another. */
  languages: readonly string[];
  /** Paragraphs with fewer words are dropped, unless they are a whole sentence. */
  shortest?: number;
}

export interface Segmented {
  /** 0..1: how much of it is running text in a language that is wanted. */
  usability: number;
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
  for (const part of text.split(/\n\s*\n/)) {
    const kept: Sentence[] = [];
    for (const line of joinedLines(part)) {
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
  const usability = fits ? usabilityOf(paragraphs, dropped) * fitnessOf(score) : 0;
  return { usability, language, languageScore: score, paragraphs: plain, words, sentences };
}

/** A guess is worth half, certainty all. */
function fitnessOf(score: number): number {
  return Math.min(1, 0.2 + score);
}

/** A line that goes on in the next one (wrapped text of a file or a PDF) is put together again; other lines stand for themselves. */
function joinedLines(paragraph: string): string[] {
  const lines: string[] = [];
  for (const raw of paragraph.split('\n')) {
    const line = /\s\s|[^\S ]/.test(raw) ? raw.replaceAll(/\s+/g, ' ').trim() : raw.trim();
    if (line === '') continue;
    const last = lines.at(-1);
    if (last !== undefined && goesOn(last, line)) {
      lines[lines.length - 1] = /\p{Ll}-$/u.test(last) ? last.slice(0, -1) + line : `${last} ${line}`;
    } else lines.push(line);
  }
  return lines;
}

function endsSentence(text: string): boolean {
  return /[.?!…]["“”»)]*$/.test(text.slice(-4));
}

function goesOn(line: string, next: string): boolean {
  if (/[.?!…:;]["“”»)]*$/.test(line.slice(-4))) return false;
  return (
    /^[\p{Ll}(]/u.test(next) || /[,\p{Ll}]-$|,$/u.test(line) || (line.length > 60 && /^\p{L}/u.test(next))
  );
}
