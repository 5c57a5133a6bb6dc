import { z } from 'zod';
import { meanConfidence } from '../formats/outline.ts';
import type { Box, Line, Page } from '../page/page.ts';
import { backToSource, type Transformation } from '../page/transformation.ts';

/**
 * Maps the page from the prepared image to the owner's, which all results refer to. A rotated box becomes the smallest upright
 * box around it.
 */
export function inSource(page: Page, transformation: Transformation | undefined): Page {
  // If the sizes differ, a custom recogniser has read the source itself.
  const { image } = transformation ?? {};
  if (transformation === undefined || image?.width !== page.width || image.height !== page.height)
    return page;
  const { width, height } = transformation.source;
  const { a, b, c, d } = transformation.matrix;
  const turn = quarterTurnOf(a, c);
  const within = (value: number, limit: number) => Math.max(0, Math.min(limit, Math.round(value)));
  const place = (x: number, y: number) => {
    const at = backToSource(transformation, x, y);
    return { x: within(at.x, width), y: within(at.y, height) };
  };
  const around = (box: Box): Box => {
    const [right, bottom] = [box.left + box.width, box.top + box.height];
    const corners = [
      place(box.left, box.top),
      place(right, box.top),
      place(right, bottom),
      place(box.left, bottom),
    ];
    const [left, top] = [Math.min(...corners.map(({ x }) => x)), Math.min(...corners.map(({ y }) => y))];
    return {
      left,
      top,
      width: Math.max(...corners.map(({ x }) => x)) - left,
      height: Math.max(...corners.map(({ y }) => y)) - top,
    };
  };
  return {
    ...page,
    width,
    height,
    ...(turn !== 0 && { turn }),
    ...stepsOf(transformation),
    ...(page.dpi !== undefined && {
      dpi: Math.round((page.dpi / Math.sqrt(Math.abs(a * d - b * c))) * 100) / 100,
    }),
    ...(transformation.sheet && { border: transformation.sheet }),
    ...(page.unread && { unread: { ...page.unread, boxes: page.unread.boxes.map(around) } }),
    regions: page.regions.map((region) => ({
      ...region,
      box: around(region.box),
      paragraphs: region.paragraphs.map((paragraph) => ({
        ...paragraph,
        box: around(paragraph.box),
        lines: paragraph.lines.map((line) => ({
          ...line,
          box: around(line.box),
          ...(line.baseline && { baseline: line.baseline.map(({ x, y }) => place(x, y)) }),
          words: line.words.map((word) => ({ ...word, box: around(word.box) })),
        })),
      })),
    })),
  };
}

/** Steps recorded by `prepare`. */
const stated = z.object({ steps: z.array(z.object({ name: z.string(), why: z.string() })).min(1) });

function stepsOf(transformation: object): { steps?: string[] } {
  const { data } = stated.safeParse(transformation);
  return data ? { steps: data.steps.map(({ name, why }) => `${name}: ${why}`) } : {};
}

/** The quarter turn of a transformation, without its skew. */
function quarterTurnOf(a: number, c: number): 0 | 90 | 180 | 270 {
  const quarters = Math.round(Math.atan2(c, a) / (Math.PI / 2));
  return ([0, 90, 180, 270] as const)[(quarters + 4) % 4] ?? 0;
}

/** Adds mean confidences of words to the page and to each line. */
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
