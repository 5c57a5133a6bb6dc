/** A word is a run of letters, digits and marks; everything else separates words. */
const word = /[\p{L}\p{N}\p{M}]+/gu;
const plain = /^[A-Za-z0-9]+$/;
/** Anything longer is not a word, and PostgreSQL would refuse it. */
const longestWord = 100;

export interface FoundWord {
  folded: string;
  start: number;
  end: number;
}

/** The words of a text without case and diacritics, as search compares them. */
export function foldedWords(text: string): FoundWord[] {
  return [...eachFoldedWord(text)];
}

/** The same one by one, for callers that need only the first words of a long text. */
export function* eachFoldedWord(text: string): Generator<FoundWord> {
  for (const match of text.matchAll(word)) {
    const folded = fold(match[0]);
    if (folded !== '') yield { folded, start: match.index, end: match.index + match[0].length };
  }
}

/** The text to index. It is the same for every database, so queries find the same pages everywhere. */
export function foldedText(text: string): string {
  return foldedWords(text)
    .map(({ folded }) => folded)
    .join(' ');
}

/** A name as lists sort and match it: without case and diacritics, and short enough for an index. */
export function foldedName(name: string): string {
  return plainLetters(name).replaceAll('\0', '').slice(0, longestName).toWellFormed();
}

/** PostgreSQL indexes at most 2,700 bytes. */
const longestName = 500;

function fold(text: string): string {
  // Enough for most words, and ten times as fast.
  if (plain.test(text)) return text.slice(0, longestWord).toLowerCase();
  return plainLetters(text)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, longestWord)
    .toWellFormed();
}

function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßłøđıæœ]/g, (letter) => unlike[letter] ?? letter);
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
