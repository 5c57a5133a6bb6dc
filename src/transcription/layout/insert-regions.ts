import type { Box, Region } from '../page/page.ts';

/** Inserts regions that were found later: each before the first region below it in the same column, or last. */
export function insertRegions(regions: readonly Region[], added: readonly Region[]): Region[] {
  const all = [...regions];
  for (const region of added) {
    const at = all.findIndex(
      ({ box, paragraphs }) =>
        paragraphs.length > 0 && isAbove(region.box, box) && shareColumn(region.box, box),
    );
    all.splice(at === -1 ? all.length : at, 0, region);
  }
  return all;
}

function isAbove(one: Box, other: Box): boolean {
  return one.top + one.height / 2 < other.top;
}

function shareColumn(one: Box, other: Box): boolean {
  const across = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  return across > 0.15 * Math.min(one.width, other.width);
}
