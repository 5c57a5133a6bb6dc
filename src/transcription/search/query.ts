import { PismakError } from '../../engine/ground/errors.ts';
import { type FoundWord, foldedWords } from '../text/fold.ts';

/** Words that must be adjacent; with `prefix`, the last one matches as a prefix. */
export interface Term {
  words: string[];
  prefix: boolean;
}

/** Each term costs a pass over the words of every matching page, so fifty terms could occupy a database for a minute. */
const mostTerms = 16;
const mostWords = 50;

/**
 * `emperor "most gracious" Franz*`: all terms must match, in any order. Other characters only separate words. A repeated
 * term counts once.
 */
export function parseQuery(text: string): Term[] {
  const distinct = new Map<string, Term>();
  for (const match of text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/gu)) {
    const [, phrase, star, plain] = match;
    const words = foldedWords(phrase ?? plain ?? '').map(({ folded }) => folded);
    if (words.length === 0) continue;
    const prefix = phrase === undefined ? (plain ?? '').endsWith('*') : star === '*';
    distinct.set(`${words.join(' ')}${prefix ? '*' : ''}`, { words, prefix });
  }
  const terms = [...distinct.values()];
  if (terms.length === 0) throw new PismakError('invalid-input', 'name at least one word to search for');
  const words = terms.reduce((sum, term) => sum + term.words.length, 0);
  if (terms.length > mostTerms || words > mostWords) {
    throw new PismakError(
      'invalid-input',
      `search for at most ${mostTerms} different words or phrases with ${mostWords} words in all; these are ${terms.length} with ${words} words`,
    );
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

/** Whether the term occurs in the text, ending with the word at `last`. */
export function endsAt(term: Term, text: readonly Pick<FoundWord, 'folded'>[], last: number): boolean {
  const start = last - term.words.length + 1;
  for (let index = term.words.length - 1; index >= 0; index--) {
    const wanted = term.words[index] ?? '';
    const found = text[start + index]?.folded ?? '';
    const isPrefix = term.prefix && start + index === last;
    if (isPrefix ? !found.startsWith(wanted) : found !== wanted) return false;
  }
  return true;
}
