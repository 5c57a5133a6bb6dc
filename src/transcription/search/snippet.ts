import { foldedWords } from './fold.ts';
import { occurrences, type Term } from './query.ts';

const wordsBefore = 6;
const wordsAfter = 14;
const longest = 400;

export interface Snippet {
  text: string;
  /** Positions of the search words in the text. */
  marks: { start: number; end: number }[];
}

/** A few words around the first hit, on one line. */
export function snippetOf(text: string, terms: readonly Term[]): Snippet {
  const words = foldedWords(text);
  const found = new Set(
    terms.flatMap((term) =>
      occurrences(term, words).flatMap((start) => term.words.map((_, index) => start + index)),
    ),
  );
  const first = Math.min(...found, words.length);
  const begin = words[Math.max(0, first - wordsBefore)]?.start ?? 0;
  const end = Math.min(
    words[Math.min(words.length - 1, first + wordsAfter)]?.end ?? text.length,
    begin + longest,
  );
  // Replace character by character, so the marks stay right.
  const shown = text.slice(begin, end).replaceAll(/\s/g, ' ');
  const marks = [...found]
    .sort((a, b) => a - b)
    .flatMap((index) => words[index] ?? [])
    .filter((word) => word.start >= begin && word.end <= end)
    .map((word) => ({ start: word.start - begin, end: word.end - begin }));
  return { text: shown, marks };
}
