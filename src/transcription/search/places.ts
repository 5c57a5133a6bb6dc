import type { Box, Page } from '../page.ts';
import { foldedWords } from './fold.ts';
import { occurrences, type Term } from './query.ts';

/** Boxes of the words that were found, in pixels of the image that was read. */
export function placesOf(page: Page, terms: readonly Term[]): { text: string; box: Box }[] {
  const words = page.regions
    .flatMap((region) => region.paragraphs)
    .flatMap((paragraph) => paragraph.lines)
    .flatMap((line) => line.words)
    .flatMap(({ text, box }) => foldedWords(text).map(({ folded }) => ({ folded, text, box })));
  const found = new Set(
    terms.flatMap((term) =>
      occurrences(term, words).flatMap((start) => term.words.map((_, index) => words[start + index])),
    ),
  );
  const places = [...found].flatMap((word) => (word ? [{ text: word.text, box: word.box }] : []));
  // A word of the page may count as several words for the search.
  return places.filter((place, index) => places.findIndex((other) => other.box === place.box) === index);
}
