import { boxAround } from '../image/box.ts';
import type { Line, Page, Region } from '../page/page.ts';
import { findPageGutter } from './page-gutter.ts';

/** Minimum number of lines in a piece of a column. */
const fewestLines = 4;
/** The comparison is cubic. */
const mostPieces = 200;
/** Minimum number of lines across a gutter; fewer may be a headline. */
const fewestAcross = 2;
/** In line heights. Gaps between words are narrower, and a block across a gutter reaches further on both sides. */
const widestWordGap = 0.8;
const overlap = 3;

/**
 * Divides blocks in which a recogniser has read two columns as one, at a gutter that it found elsewhere on the page. A block is divided
 * if no word stands in the gutter, and every line has a gap there wider than a gap between words.
 */
export function divideColumns(page: Page): Page {
  const middle = findPageGutter(page);
  if (middle !== undefined)
    return { ...page, regions: page.regions.flatMap((region) => atGutter(region, middle)) };
  const gutters = guttersOf(page.regions);
  if (gutters.length === 0) return page;
  let regions = page.regions;
  for (const gutter of gutters) regions = regions.flatMap((region) => divided(region, gutter));
  return regions.length === page.regions.length ? page : { ...page, regions };
}

/** Centres of the gaps between adjacent columns. */
function guttersOf(regions: readonly Region[]): number[] {
  const pieces = regions.filter((region) => linesOf(region).length >= fewestLines).map(({ box }) => box);
  if (pieces.length > mostPieces) return [];
  const found: number[] = [];
  for (const one of pieces) {
    for (const other of pieces) {
      const [end, start] = [one.left + one.width, other.left];
      const down = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
      const isBeside = end < start && down > 0.3 * Math.min(one.height, other.height);
      // Not over a third column.
      const isNext = pieces.every((third) => third.left >= start || third.left + third.width <= end);
      if (isBeside && isNext) found.push((end + start) / 2);
    }
  }
  return [...new Set(found)];
}

function divided(region: Region, gutter: number): Region[] {
  const lines = linesOf(region);
  const height = median(lines.map(({ box }) => box.height));
  const { left, width } = region.box;
  if (left > gutter - overlap * height || left + width < gutter + overlap * height) return [region];
  const gaps = lines.map((line) => gapAt(line, gutter));
  if (gaps.some((gap) => gap < widestWordGap * height)) return [region];
  if (gaps.filter(Number.isFinite).length < fewestAcross) return [region];
  return atGutter(region, gutter);
}

/** The parts of a block on both sides of a gutter. */
function atGutter(region: Region, gutter: number): Region[] {
  const { left, width } = region.box;
  if (region.paragraphs.length === 0 || left >= gutter || left + width <= gutter) return [region];
  return [part(region, (x) => x < gutter), part(region, (x) => x >= gutter)].filter(
    ({ paragraphs }) => paragraphs.length > 0,
  );
}

/** The gap between words around a position; 0 if a word covers it, infinite if all words are on one side. */
function gapAt({ words }: Line, x: number): number {
  if (words.some(({ box }) => box.left < x && box.left + box.width > x)) return 0;
  const before = Math.max(...words.map(({ box }) => (box.left < x ? box.left + box.width : -Infinity)));
  const after = Math.min(...words.map(({ box }) => (box.left >= x ? box.left : Infinity)));
  return after - before;
}

function part(region: Region, isIn: (x: number) => boolean): Region {
  const paragraphs = region.paragraphs.flatMap((paragraph) => {
    const lines = paragraph.lines.flatMap((line) => {
      const words = line.words.filter(({ box }) => isIn(box.left + box.width / 2));
      if (words.length === line.words.length) return words.length === 0 ? [] : [line];
      return words.length === 0 ? [] : [{ words, box: boxAround(words.map(({ box }) => box)) }];
    });
    return lines.length === 0 ? [] : [{ box: boxAround(lines.map(({ box }) => box)), lines }];
  });
  return { ...region, box: boxAround(paragraphs.map(({ box }) => box)), paragraphs };
}

function linesOf(region: Region): Line[] {
  return region.paragraphs.flatMap((paragraph) => paragraph.lines);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
