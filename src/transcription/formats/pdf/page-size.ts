import type { Page } from '../../page/page.ts';

/** The long side of A4 in inches, used if the resolution is unknown. */
const a4 = 11.69;
/** The maximum of the standard, in points. */
const longest = 14_400;

/** A point is 1/72 inch. */
export function pointsPerPixel(page: Page): number {
  const side = Math.max(page.width, page.height);
  const dpi = page.dpi ?? side / a4;
  return Math.min(72 / dpi, longest / side);
}
