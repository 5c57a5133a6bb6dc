import { detectLanguage } from '../language/language.ts';
import { splitSentences } from './sentences.ts';
import { usabilityOf } from './usability.ts';
import { wordsOf } from './words.ts';

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
  const paragraphs: string[][] = [];
  const lengths: number[][] = [];
  let words = 0;
  let dropped = 0;
  let sentences = 0;
  for (const part of text.split(/\n\s*\n/)) {
    const kept: string[] = [];
    const counts: number[] = [];
    for (const line of joinedLines(part)) {
      for (const sentence of splitSentences(line)) {
        const count = wordsOf(sentence).length;
        if (count < shortest && !(count > 0 && /\p{L}.*[.?!…]["“”»)]*$/u.test(sentence))) {
          dropped += count;
          continue;
        }
        kept.push(sentence);
        counts.push(count);
        words += count;
      }
    }
    if (kept.length === 0) continue;
    paragraphs.push(kept);
    lengths.push(counts);
    sentences += kept.length;
  }
  const { language, score } = detectLanguage(
    paragraphs.map((paragraph) => paragraph.join(' ')).join('\n') || text,
  );
  const fits = options.languages.length === 0 || options.languages.includes(language);
  const usability = fits ? usabilityOf(paragraphs, lengths, dropped) * fitnessOf(score) : 0;
  return { usability, language, languageScore: score, paragraphs, words, sentences };
}

/** A guess is worth half, certainty all. */
function fitnessOf(score: number): number {
  return Math.min(1, 0.2 + score);
}

/** A line that goes on in the next one (wrapped text of a file or a PDF) is put together again; other lines stand for themselves. */
function joinedLines(paragraph: string): string[] {
  const lines: string[] = [];
  for (const raw of paragraph.split('\n')) {
    const line = raw.replaceAll(/\s+/g, ' ').trim();
    if (line === '') continue;
    const last = lines.at(-1);
    if (last !== undefined && goesOn(last, line)) {
      lines[lines.length - 1] = /\p{Ll}-$/u.test(last) ? last.slice(0, -1) + line : `${last} ${line}`;
    } else lines.push(line);
  }
  return lines;
}

function goesOn(line: string, next: string): boolean {
  if (/[.?!…:;]["“”»)]*$/u.test(line)) return false;
  return (
    /^[\p{Ll}(]/u.test(next) || /[,\p{Ll}]-$|,$/u.test(line) || (line.length > 60 && /^\p{L}/u.test(next))
  );
}
