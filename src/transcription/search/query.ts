import { PismakError } from '../../engine/errors.ts';
import { type FoundWord, foldedWords } from './fold.ts';

/** Words that must be adjacent; with `prefix`, the last one matches as a prefix. */
export interface Term {
  words: string[];
  prefix: boolean;
}

const mostWords = 50;

/** `emperor "most gracious" Franz*`: all terms must match, in any order. Other characters only separate words. */
export function parseQuery(text: string): Term[] {
  const terms: Term[] = [];
  for (const match of text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/gu)) {
    const [, phrase, star, plain] = match;
    const words = foldedWords(phrase ?? plain ?? '').map(({ folded }) => folded);
    if (words.length === 0) continue;
    terms.push({ words, prefix: phrase === undefined ? (plain ?? '').endsWith('*') : star === '*' });
  }
  if (terms.length === 0) throw new PismakError('invalid-input', 'name at least one word to search for');
  if (terms.reduce((sum, term) => sum + term.words.length, 0) > mostWords) {
    throw new PismakError('invalid-input', `search for at most ${mostWords} words`);
  }
  return terms;
}

/** Terms contain only letters and digits, so nothing in them can be syntax. */
export function toFts5(terms: readonly Term[]): string {
  return terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ');
}

export function toTsquery(terms: readonly Term[]): string {
  return terms
    .map(({ words, prefix }) => {
      const lexemes = words.map(
        (word, index) => `'${word}'${prefix && index === words.length - 1 ? ':*' : ''}`,
      );
      return `(${lexemes.join(' <-> ')})`;
    })
    .join(' & ');
}

/** All occurrences of a term in a text: indexes of its first word. */
export function occurrences(term: Term, text: readonly Pick<FoundWord, 'folded'>[]): number[] {
  const last = term.words.length - 1;
  return [...text.keys()].filter((start) =>
    term.words.every((word, index) => {
      const found = text[start + index]?.folded ?? '';
      return term.prefix && index === last ? found.startsWith(word) : found === word;
    }),
  );
}
