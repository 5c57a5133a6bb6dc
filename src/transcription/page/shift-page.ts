import type { Box, Page } from './page.ts';

/** Moves everything on the page to the right. */
export function shifted(page: Page, by: number): Page {
  const move = <Thing extends { box: Box }>(thing: Thing): Thing => ({
    ...thing,
    box: { ...thing.box, left: thing.box.left + by },
  });
  const regions = page.regions.map((region) => ({
    ...move(region),
    paragraphs: region.paragraphs.map((paragraph) => ({
      ...move(paragraph),
      lines: paragraph.lines.map((line) => ({
        ...move(line),
        ...(line.baseline && { baseline: line.baseline.map(({ x, y }) => ({ x: x + by, y })) }),
        words: line.words.map(move),
      })),
    })),
  }));
  return { ...page, regions };
}
