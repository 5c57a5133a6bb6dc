import type { Component } from '../image/components.ts';

/** Number of letters on each side that determine the type size. */
const neighbours = 5;
/** In heights of a small letter. */
const furthest = 6;
const rowHeight = 2;

/** The usual height of letters around each component: a comma or broken letter says nothing about the type. */
export function typeHeights(letters: readonly Component[], letter: number): Map<Component, number> {
  const rows = Map.groupBy(
    letters.toSorted((one, other) => one.left - other.left),
    ({ top, height }) => Math.floor((top + height) / (rowHeight * letter)),
  );
  const heights = new Map<Component, number>();
  for (const row of rows.values()) {
    for (const [index, one] of row.entries()) {
      const near = row
        .slice(Math.max(0, index - neighbours), index + neighbours + 1)
        .filter(({ left }) => Math.abs(left - one.left) <= furthest * Math.max(letter, one.height))
        .map(({ height }) => height)
        .sort((low, high) => low - high);
      const usual = near[near.length >> 1] ?? one.height;
      // A few isolated small ones are stains.
      heights.set(one, near.length <= neighbours ? Math.max(letter, usual) : usual);
    }
  }
  return heights;
}
