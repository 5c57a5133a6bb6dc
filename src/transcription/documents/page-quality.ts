import { meanConfidence } from '../formats/outline.ts';
import type { Page } from '../page/page.ts';
import { wordText } from '../text/text.ts';

/** Qualities of a finished page that is not clearly read. */
export const qualities = ['doubtful', 'no-text'] as const;
export type Quality = (typeof qualities)[number];

export interface Reading {
  quality: Quality | null;
  /** The mean over the words; null if the recogniser gave none. */
  confidence: number | null;
  words: number;
  /** Words that the recogniser was unsure of; null if it gave no confidence. */
  doubtfulWords: number | null;
  /** Number of lines that look like text but were not read. */
  unreadLines: number;
}

/** Columns of a page before it is read. */
export const unread = {
  quality: null,
  confidence: null,
  words: null,
  doubtfulWords: null,
  unreadLines: null,
  language: null,
  keywordsJson: null,
} as const;

/**
 * Judges a page by the confidence of its words. Only words of three letters or digits count as sure: stains and rules are read
 * as short words.
 */
export function judgeReading(page: Page): Reading {
  const lines = page.regions.flatMap(({ paragraphs }) => paragraphs).flatMap((paragraph) => paragraph.lines);
  const words = lines.flatMap((line) => line.words).filter(({ text }) => wordText(text) !== '');
  const mean = meanConfidence(lines);
  const confidence = mean === undefined ? null : Math.round(mean * 10_000) / 10_000;
  const unreadLines = page.unread?.lines ?? 0;
  const doubtfulWords =
    confidence === null ? null : words.filter((word) => (word.confidence ?? 1) < sureWord).length;
  const reading = { confidence, words: words.length, doubtfulWords, unreadLines };
  if (words.length === 0) return { ...reading, quality: 'no-text' };
  // Text from a PDF, or from a program that reports no confidence.
  if (confidence === null) return { ...reading, quality: null };
  const long = words.filter(({ text }) => lettersOf(text) >= 3);
  const sure = long.filter((word) => (word.confidence ?? 0) >= sureWord).length;
  if (sure < leastSureWords && sure < long.length / 2) return { ...reading, quality: 'no-text' };
  if (sure < long.length * leastSureShare) return { ...reading, quality: 'no-text' };
  const isPartial = unreadLines >= fewUnread && unreadLines > lines.length * fewUnreadShare;
  return { ...reading, quality: isPartial || confidence < doubtfulBelow ? 'doubtful' : null };
}

/** Words of less confidence are doubtful. */
export const sureWord = 0.7;
const leastSureWords = 3;
const leastSureShare = 0.3;
const doubtfulBelow = 0.75;
/** Less unread text than this may be a stamp or a caption. */
const fewUnread = 3;
const fewUnreadShare = 0.1;

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
