/** A word is a run of letters, digits and marks; everything else only separates. */
const word = /[\p{L}\p{N}\p{M}]+/gu;
/** Anything longer is not a word, and PostgreSQL would refuse it. */
const longestWord = 100;

export interface FoundWord {
  folded: string;
  start: number;
  end: number;
}

/** The words of a text as search compares them: without case and diacritics. */
export function foldedWords(text: string): FoundWord[] {
  return [...text.matchAll(word)]
    .map((match) => ({
      folded: fold(match[0]),
      start: match.index,
      end: match.index + match[0].length,
    }))
    .filter(({ folded }) => folded !== '');
}

/** The text to index. It is the same for every database, so queries find the same pages everywhere. */
export function foldedText(text: string): string {
  return foldedWords(text)
    .map(({ folded }) => folded)
    .join(' ');
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[ßłøđıæœ]/g, (letter) => unlike[letter] ?? letter)
    .slice(0, longestWord)
    .toWellFormed();
}

/** Letters that Unicode doesn't decompose into a letter and a mark. */
const unlike: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
};
