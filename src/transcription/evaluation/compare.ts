import { editDistance } from './align.ts';
import { type Normalisation, toSymbols, toWords } from './symbols.ts';

/** Errors, and the length of the truth. */
export interface Rate {
  errors: number;
  length: number;
}

/** How far a text is from the truth: in characters, in words, and in words regardless of order. */
export interface Comparison {
  characters: Rate;
  words: Rate;
  /** A bag of words: it tells wrong letters from wrong reading order. */
  bag: Rate;
}

/** Compares what was read with the correct text. */
export function compareTexts(truth: string, found: string, normalisation: Normalisation = {}): Comparison {
  const [expected, given] = [toSymbols(truth, normalisation), toSymbols(found, normalisation)];
  const [expectedWords, givenWords] = [toWords(expected), toWords(given)];
  return {
    characters: { errors: editDistance(expected.keys, given.keys), length: expected.keys.length },
    words: { errors: editDistance(expectedWords, givenWords), length: expectedWords.length },
    bag: { errors: notShared(expectedWords, givenWords), length: expectedWords.length },
  };
}

/** Number of words in the longer text that the other lacks. */
function notShared(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return Math.max(one.length, other.length) - shared;
}

/** Micro average: a long page weighs more than a short one. */
export function total(rates: readonly Rate[]): Rate {
  return {
    errors: rates.reduce((sum, rate) => sum + rate.errors, 0),
    length: rates.reduce((sum, rate) => sum + rate.length, 0),
  };
}

/** CER or WER. If the truth is empty, any text read is 100 % wrong. */
export function errorRate({ errors, length }: Rate): number {
  return length === 0 ? Math.min(errors, 1) : errors / length;
}
