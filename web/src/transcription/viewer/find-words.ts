import type { Word } from './reading.ts';

/** Words that must stand side by side; with `prefix` the last one may go on. */
interface Term {
  words: string[];
  prefix: boolean;
}

/** The numbers of the words that a search for `text` found, compared as the server compares: without accents and case. */
export function findWords(words: readonly Word[], text: string): ReadonlySet<number> {
  const terms = termsOf(text);
  const found = new Set<number>();
  if (terms.length === 0) return found;
  const parts = words.flatMap(({ number, text: shown }) => fold(shown).map((folded) => ({ number, folded })));
  for (let last = 0; last < parts.length; last++) {
    for (const { words: wanted, prefix } of terms) {
      const start = last - wanted.length + 1;
      if (start < 0) continue;
      const fits = wanted.every((word, index) => {
        const part = parts[start + index]?.folded ?? '';
        return prefix && index === wanted.length - 1 ? part.startsWith(word) : part === word;
      });
      if (fits) for (const { number } of parts.slice(start, last + 1)) found.add(number);
    }
  }
  return found;
}

function termsOf(text: string): Term[] {
  return [...text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/gu)].flatMap(([, phrase, star, plain]) => {
    const words = fold(phrase ?? plain ?? '');
    const prefix = phrase === undefined ? (plain ?? '').endsWith('*') : star === '*';
    return words.length === 0 ? [] : [{ words, prefix }];
  });
}

const unlike: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
};

function fold(text: string): string[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([word]) => {
    const folded = word
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[ßłøđıæœ]/g, (letter) => unlike[letter] ?? letter);
    return folded === '' ? [] : [folded];
  });
}
