import { eachFoldedWord, type FoundWord } from '../text/fold.ts';
import { endsAt, type Term } from './query.ts';

const wordsBefore = 6;
const wordsAfter = 14;
const longest = 400;

export interface Snippet {
  text: string;
  /** Positions of the search words in the text. */
  marks: { start: number; end: number }[];
}

/** A few words around the first hit, on one line. Reads no further, because the text may be very long. */
export function snippetOf(text: string, terms: readonly Term[]): Snippet {
  const { words, found } = firstHit(text, terms);
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

/** The words up to a little after the first hit, and the indexes of those that were searched for. */
function firstHit(text: string, terms: readonly Term[]): { words: FoundWord[]; found: Set<number> } {
  const words: FoundWord[] = [];
  const found = new Set<number>();
  const phrase = Math.max(...terms.map((term) => term.words.length));
  let enough = Number.POSITIVE_INFINITY;
  for (const word of eachFoldedWord(text)) {
    const last = words.push(word) - 1;
    for (const term of terms) {
      if (!endsAt(term, words, last)) continue;
      enough = Math.min(enough, last + wordsAfter + phrase);
      for (let index = last - term.words.length + 1; index <= last; index++) found.add(index);
    }
    if (last >= enough) break;
  }
  return { words, found };
}
