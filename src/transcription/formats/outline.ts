import type { Box, Line, Page } from '../page/page.ts';

/** Clips a box to the page: recognisers return boxes that reach over its edge. */
export function onPage(box: Box, page: Page): Box {
  const left = Math.min(box.left, page.width);
  const top = Math.min(box.top, page.height);
  return {
    left,
    top,
    width: Math.min(box.width, page.width - left),
    height: Math.min(box.height, page.height - top),
  };
}

/** The corners, clockwise. */
export function corners(box: Box): string {
  const right = box.left + box.width;
  const bottom = box.top + box.height;
  return `${box.left},${box.top} ${right},${box.top} ${right},${bottom} ${box.left},${bottom}`;
}

/** Points of the baseline; undefined if the recogniser gave none. */
export function baselinePoints(line: Line, page: Page): { x: number; y: number }[] | undefined {
  if (line.baseline === undefined || line.baseline.length < 2) return undefined;
  return line.baseline.map(({ x, y }) => ({ x: clamp(x, page.width), y: clamp(y, page.height) }));
}

export function points(list: readonly { x: number; y: number }[]): string {
  return list.map(({ x, y }) => `${x},${y}`).join(' ');
}

/** The mean confidence of the words; undefined if none has one. */
export function meanConfidence(lines: readonly Line[]): number | undefined {
  const known = lines.flatMap((line) => line.words.flatMap((word) => word.confidence ?? []));
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Without exponents and long fractions, which some readers reject. */
export function formatConfidence(confidence: number | undefined): string | undefined {
  return confidence === undefined ? undefined : String(Math.round(confidence * 10_000) / 10_000);
}

function clamp(value: number, limit: number): number {
  return Math.max(0, Math.min(limit, value));
}
