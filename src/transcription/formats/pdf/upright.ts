import type { Box, Page } from '../../page/page.ts';
import { pdfNumber } from './pdf-objects.ts';

/** The page as it is read: turned, if its image lies on a side or on its head. */
export function upright(page: Page): Page {
  const { turn = 0, width, height } = page;
  if (turn === 0) return page;
  const place = (x: number, y: number) => {
    if (turn === 180) return { x: width - x, y: height - y };
    return turn === 90 ? { x: height - y, y: x } : { x: y, y: width - x };
  };
  const boxOf = (box: Box): Box => {
    const one = place(box.left, box.top);
    const other = place(box.left + box.width, box.top + box.height);
    const [left, top] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
    // Boxes may hang over the edge.
    return {
      left: Math.max(0, left),
      top: Math.max(0, top),
      width: Math.abs(one.x - other.x),
      height: Math.abs(one.y - other.y),
    };
  };
  return {
    ...page,
    turn: 0,
    ...(turn === 180 ? {} : { width: height, height: width }),
    regions: page.regions.map((region) => ({
      ...region,
      box: boxOf(region.box),
      paragraphs: region.paragraphs.map((paragraph) => ({
        ...paragraph,
        box: boxOf(paragraph.box),
        lines: paragraph.lines.map((line) => ({
          ...line,
          box: boxOf(line.box),
          ...(line.baseline && { baseline: line.baseline.map(({ x, y }) => place(x, y)) }),
          words: line.words.map((word) => ({ ...word, box: boxOf(word.box) })),
        })),
      })),
    })),
  };
}

/** The operator that lays what is drawn upright onto the page as it was scanned; sizes in points. */
export function layDown({ turn = 0 }: Page, width: number, height: number): string {
  const [w, h] = [pdfNumber(width), pdfNumber(height)];
  if (turn === 90) return `0 1 -1 0 ${w} 0 cm`;
  if (turn === 180) return `-1 0 0 -1 ${w} ${h} cm`;
  return turn === 270 ? `0 -1 1 0 0 ${h} cm` : '';
}
