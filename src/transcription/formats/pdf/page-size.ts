import type { Page } from '../../page.ts';

/** The long side of a sheet of A4, in inches: taken when nobody knows the resolution. */
const a4 = 11.69;
/** What the standard allows, in points. */
const longest = 14_400;

/** A point is 1/72 inch. */
export function pointsPerPixel(page: Page): number {
  const side = Math.max(page.width, page.height);
  const dpi = page.dpi ?? side / a4;
  return Math.min(72 / dpi, longest / side);
}
