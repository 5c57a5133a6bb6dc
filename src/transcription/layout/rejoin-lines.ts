import { boxAround } from '../image/box.ts';
import type { Box, Line, Page, Region } from '../page/page.ts';

/**
 * Rejoins text that a recogniser split off a block at a wide gap between words: a piece within another block joins the line at its
 * height, or becomes a line of its own there.
 */
export function rejoinLines(page: Page): Page {
  const text = page.regions.filter(({ kind, paragraphs }) => kind === 'text' && paragraphs.length > 0);
  const homes = new Map<Region, Region>();
  for (const piece of text) {
    const around = text.filter((block) => block !== piece && isWithin(piece.box, block.box));
    // The smallest block around it; pieces may be nested.
    const home = around.toSorted((one, other) => area(one.box) - area(other.box))[0];
    if (home) homes.set(piece, home);
  }
  if (homes.size === 0) return page;
  for (const [piece] of homes) {
    let home = homes.get(piece);
    while (home && homes.has(home)) home = homes.get(home);
    if (home) for (const line of linesOf(piece)) takeIn(home, line);
  }
  return { ...page, regions: page.regions.filter((region) => !homes.has(region)) };
}

/** Adds a line to the block, in place. */
function takeIn(block: Region, line: Line): void {
  const torn = linesOf(block).find((one) => isSameHeight(one.box, line.box) && areApart(one, line));
  if (torn) {
    torn.words = [...torn.words, ...line.words].sort((one, other) => one.box.left - other.box.left);
    torn.box = boxAround([torn.box, line.box]);
    delete torn.baseline;
    return;
  }
  const paragraph =
    block.paragraphs.find(({ box }) => box.top + box.height > middle(line.box)) ?? block.paragraphs.at(-1);
  if (!paragraph) return;
  const after = paragraph.lines.findIndex((one) => middle(one.box) > middle(line.box));
  paragraph.lines.splice(after === -1 ? paragraph.lines.length : after, 0, line);
  paragraph.box = boxAround(paragraph.lines.map(({ box }) => box));
}

function linesOf(region: Region): Line[] {
  return region.paragraphs.flatMap((paragraph) => paragraph.lines);
}

function isWithin(inner: Box, outer: Box): boolean {
  const across = shared(inner.left, inner.width, outer.left, outer.width);
  const down = shared(inner.top, inner.height, outer.top, outer.height);
  return across * down > 0.8 * area(inner) && area(outer) > 1.5 * area(inner);
}

function isSameHeight(one: Box, other: Box): boolean {
  return shared(one.top, one.height, other.top, other.height) > 0.6 * Math.min(one.height, other.height);
}

/** Whether no words of the two lines overlap. */
function areApart(one: Line, other: Line): boolean {
  return one.words.every(({ box: mine }) =>
    other.words.every(
      ({ box }) => shared(mine.left, mine.width, box.left, box.width) < 0.3 * Math.min(mine.width, box.width),
    ),
  );
}

function shared(start: number, size: number, otherStart: number, otherSize: number): number {
  return Math.max(0, Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart));
}

function area({ width, height }: Box): number {
  return width * height;
}

function middle({ top, height }: Box): number {
  return top + height / 2;
}
