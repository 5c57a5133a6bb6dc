import type { Line, Page } from '../page/page.ts';
import { meanConfidence } from './outline.ts';

/** The page with the mean confidence of its words, and so each line. */
export function withConfidence(page: Page): Page {
  const regions = page.regions.map((region) => ({
    ...region,
    paragraphs: region.paragraphs.map((paragraph) => ({
      ...paragraph,
      lines: paragraph.lines.map((line): Line => ({ ...line, ...meanOf([line]) })),
    })),
  }));
  return { ...page, ...meanOf(linesOf(page)), regions };
}

function linesOf({ regions }: Page): Line[] {
  return regions.flatMap(({ paragraphs }) => paragraphs).flatMap(({ lines }) => lines);
}

function meanOf(lines: readonly Line[]): { confidence?: number } {
  const mean = meanConfidence(lines);
  return mean === undefined ? {} : { confidence: Math.round(mean * 10_000) / 10_000 };
}
