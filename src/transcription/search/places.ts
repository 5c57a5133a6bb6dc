import type { Box, Page } from '../page/page.ts';
import { foldedWords } from '../text/fold.ts';
import { endsAt, type Term } from './query.ts';

/** More than anybody can look at on one page. */
const mostPlaces = 1000;

/** Boxes of matching words, in pixels of the page's image. */
export function placesOf(page: Page, terms: readonly Term[]): { text: string; box: Box }[] {
  const words = page.regions
    .flatMap((region) => region.paragraphs)
    .flatMap((paragraph) => paragraph.lines)
    .flatMap((line) => line.words)
    .flatMap(({ text, box }) => foldedWords(text).map(({ folded }) => ({ folded, text, box })));
  // Keyed by box, because search may split one word of the page into several.
  const found = new Map<Box, { text: string; box: Box }>();
  for (const last of words.keys()) {
    for (const term of terms) {
      if (!endsAt(term, words, last)) continue;
      for (const { text, box } of words.slice(last - term.words.length + 1, last + 1)) {
        found.set(box, { text, box });
        if (found.size >= mostPlaces) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}
