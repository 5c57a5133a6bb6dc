import type { Box, Page } from '../page/page.ts';
import { foldedWords } from '../text/fold.ts';
import { endsAt, type Term } from './query.ts';

/** More than anybody can look at on one page. */
const mostPlaces = 1000;

export interface FoundPlace {
  text: string;
  box: Box;
  /** The line that the word is in: its place, and its number in reading order, counted from 0. */
  line: Box;
  lineNumber: number;
}

/** Boxes of matching words and of their lines, in pixels of the page's image. */
export function placesOf(page: Page, terms: readonly Term[]): FoundPlace[] {
  const words = page.regions
    .flatMap((region) => region.paragraphs)
    .flatMap((paragraph) => paragraph.lines)
    .flatMap((line, lineNumber) => line.words.map((word) => ({ ...word, line: line.box, lineNumber })))
    .flatMap(({ confidence: _, ...word }) =>
      foldedWords(word.text).map(({ folded }) => ({ folded, ...word })),
    );
  // Keyed by box, because search may split one word of the page into several.
  const found = new Map<Box, FoundPlace>();
  for (const last of words.keys()) {
    for (const term of terms) {
      if (!endsAt(term, words, last)) continue;
      for (const { folded: _, ...place } of words.slice(last - term.words.length + 1, last + 1)) {
        found.set(place.box, place);
        if (found.size >= mostPlaces) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}
