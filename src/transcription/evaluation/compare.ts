import { editDistance } from './align.ts';
import { type Normalisation, toSymbols, toWords } from './symbols.ts';

/** Errors, and the length of the truth. */
export interface Rate {
  errors: number;
  length: number;
}

/** How far a text is from the truth, in characters and in words. */
export interface Comparison {
  characters: Rate;
  words: Rate;
}

/** Compares what was read with the correct text. */
export function compareTexts(truth: string, found: string, normalisation: Normalisation = {}): Comparison {
  const [expected, given] = [toSymbols(truth, normalisation), toSymbols(found, normalisation)];
  const [expectedWords, givenWords] = [toWords(expected), toWords(given)];
  return {
    characters: { errors: editDistance(expected.keys, given.keys), length: expected.keys.length },
    words: { errors: editDistance(expectedWords, givenWords), length: expectedWords.length },
  };
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
