import type { Box, Page } from '../page.ts';
import { foldedWords } from './fold.ts';
import { occurrences, type Term } from './query.ts';

/** Boxes of the words found, in pixels of the recognised image. */
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
  // Search may count one word of the page as several words.
  return places.filter((place, index) => places.findIndex((other) => other.box === place.box) === index);
}
