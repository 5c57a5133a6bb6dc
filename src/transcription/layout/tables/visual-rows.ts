import type { Word } from '../../page/page.ts';

/** Words at one height, from left to right. */
export interface VisualRow {
  /** The middle of its words, from the top of the page. */
  middle: number;
  words: Word[];
}

/** In heights of a line. */
const sameHeight = 0.5;

/** Groups words into rows from top to bottom, regardless of their blocks. `line` is the height of a line of text. */
export function visualRows(words: readonly Word[], line: number): VisualRow[] {
  const rows: VisualRow[] = [];
  for (const word of words.toSorted((one, other) => middleOf(one) - middleOf(other))) {
    const row = rows.at(-1);
    if (row && middleOf(word) - row.middle < sameHeight * line) {
      row.words.push(word);
      row.middle += (middleOf(word) - row.middle) / row.words.length;
    } else rows.push({ middle: middleOf(word), words: [word] });
  }
  for (const row of rows) row.words.sort((one, other) => one.box.left - other.box.left);
  return rows;
}

export function middleOf({ box }: Word): number {
  return box.top + box.height / 2;
}
