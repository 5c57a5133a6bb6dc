import type { Page, Paragraph } from '../page/page.ts';
import { hyphenated } from '../text/hyphenation.ts';
import { lineText } from '../text/text.ts';
import { stopWords } from './stop-words.ts';

export interface Keywords {
  language: string;
  /** All words of the page, including stop words. */
  words: number;
  /** Most frequent first. */
  keywords: { word: string; count: number }[];
}

/** The most frequent words of a page, without stop words, in their most common spelling. */
export function findKeywords(page: Page, language: string, limit: number): Keywords {
  const ignored = stopWords(language);
  const spellings = new Map<string, Map<string, number>>();
  let words = 0;
  for (const [word] of textOf(page).matchAll(/\p{L}[\p{L}\p{M}]*/gu)) {
    words += 1;
    const key = word.toLowerCase();
    if (key.length < shortest || ignored.has(key)) continue;
    const spelling = spellings.get(key) ?? new Map<string, number>();
    spelling.set(word, (spelling.get(word) ?? 0) + 1);
    spellings.set(key, spelling);
  }
  const keywords = [...spellings.values()].map((spelling) => ({
    word: mostFrequent(spelling),
    count: [...spelling.values()].reduce((sum, count) => sum + count, 0),
  }));
  // Prefer longer words among equally frequent ones.
  keywords.sort((a, b) => b.count - a.count || b.word.length - a.word.length || (a.word < b.word ? -1 : 1));
  return { language, words, keywords: keywords.slice(0, limit) };
}

const shortest = 3;

function textOf(page: Page): string {
  return page.regions
    .flatMap((region) => region.paragraphs)
    .map(withoutHyphens)
    .join('\n')
    .normalize('NFC');
}

/** Joins words hyphenated across two lines. */
function withoutHyphens({ lines }: Paragraph): string {
  const hyphens = hyphenated(lines);
  return lines
    .map((line, index) =>
      hyphens[index] ? lineText(line).slice(0, -hyphens[index].hyphen.length) : `${lineText(line)} `,
    )
    .join('');
}

function mostFrequent(spelling: ReadonlyMap<string, number>): string {
  const [[word = ''] = []] = [...spelling].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return word;
}
