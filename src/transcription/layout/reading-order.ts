import type { Box, Page, Region } from '../page/page.ts';
import { findPageGutter } from './page-gutter.ts';

/**
 * Puts the text of a page into reading order: down a column, then the next column to the right; what spans several columns (a
 * headline) precedes what is below it. A rule across columns divides them. Recognisers find blocks well but order them badly.
 *
 * After T. M. Breuel, "High performance document layout analysis" (2003).
 */
export function inReadingOrder(page: Page): Page {
  const text = page.regions.filter((region) => region.paragraphs.length > 0);
  const rest = page.regions.filter((region) => region.paragraphs.length === 0);
  if (text.length > mostBlocks || !hasColumns(text)) return page;
  const rules = rest.filter(({ kind, box }) => kind === 'separator' && box.width > 5 * box.height);
  const ordered = sorted(
    text,
    rules.map(({ box }) => box),
  );
  // On pages full of small blocks the relations may be circular, so that no order satisfies all; the recogniser's may be better.
  const isWorse = upwards(ordered) > upwards(text) + mostUpwards * linesIn(text);
  return isWorse ? page : { ...page, regions: [...ordered, ...rest] };
}

/** Maximum share of lines out of order: one page had 48 %, all others none or one line. */
const mostUpwards = 0.1;

/** Number of lines that precede lines above them in the same column. */
function upwards(ordered: readonly Region[]): number {
  let sum = 0;
  for (const [index, block] of ordered.entries())
    for (const later of ordered.slice(index + 1))
      if (shareColumn(block.box, later.box) && middle(later.box) < middle(block.box))
        sum += Math.min(linesIn([block]), linesIn([later]));
  return sum;
}

function linesIn(blocks: readonly Region[]): number {
  return blocks.reduce(
    (sum, { paragraphs }) => sum + paragraphs.reduce((all, { lines }) => all + lines.length, 0),
    0,
  );
}

/** The same, but if a gutter runs down the whole page, everything left of it comes first. */
export function inColumnOrder(page: Page): Page {
  const gutter = findPageGutter(page);
  if (gutter === undefined) return inReadingOrder(page);
  const isLeft = ({ box }: Region) => centre(box) < gutter;
  const halves = [page.regions.filter(isLeft), page.regions.filter((region) => !isLeft(region))];
  return {
    ...page,
    regions: halves.flatMap((regions) => byHeight(inReadingOrder({ ...page, regions }).regions)),
  };
}

/** From top to bottom, unless columns within are in order already. */
function byHeight(regions: readonly Region[]): Region[] {
  const text = regions.filter((region) => region.paragraphs.length > 0);
  return hasColumns(text)
    ? [...regions]
    : regions.toSorted((one, other) => middle(one.box) - middle(other.box));
}

/** The comparison is cubic. */
const mostBlocks = 400;

/** Minimum number of lines in a piece of a column. */
const fewestLines = 4;

/** Whether text stands side by side. Otherwise the recogniser's order is right. */
function hasColumns(text: readonly Region[]): boolean {
  const pieces = text.filter((block) => linesIn([block]) >= fewestLines);
  return pieces.some(({ box: one }) =>
    pieces.some(
      ({ box: other }) =>
        !shareColumn(one, other) &&
        Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top) >
          0.3 * Math.min(one.height, other.height),
    ),
  );
}

function sorted(blocks: readonly Region[], rules: readonly Box[]): Region[] {
  const followers = new Map(
    blocks.map((one) => [
      one,
      blocks.filter((other) => one !== other && precedes(one, other, blocks, rules)),
    ]),
  );
  const ordered: Region[] = [];
  const seen = new Set<Region>();
  const visit = (block: Region) => {
    if (seen.has(block)) return;
    seen.add(block);
    for (const next of followers.get(block)?.toReversed() ?? []) visit(next);
    ordered.unshift(block);
  };
  // Each is inserted before all its followers, so the last one visited comes first.
  for (const block of blocks.toReversed()) visit(block);
  return ordered;
}

function precedes(one: Region, other: Region, all: readonly Region[], rules: readonly Box[]): boolean {
  if (shareColumn(one.box, other.box)) return middle(one.box) < middle(other.box);
  const [upper, lower] = middle(one.box) < middle(other.box) ? [one, other] : [other, one];
  if (areDivided(upper.box, lower.box, rules)) return upper === one;
  if (centre(one.box) > centre(other.box)) return false;
  // Something across both columns comes between them.
  return !all.some(
    ({ box }) =>
      box !== one.box &&
      box !== other.box &&
      box.top > Math.min(one.box.top, other.box.top) &&
      isBetween(box, upper.box, lower.box) &&
      shareColumn(box, one.box) &&
      shareColumn(box, other.box),
  );
}

/** Whether a rule runs across both, between them. */
function areDivided(upper: Box, lower: Box, rules: readonly Box[]): boolean {
  return rules.some((rule) => isBetween(rule, upper, lower) && covers(rule, upper) && covers(rule, lower));
}

/** Whether one is above the other: their widths overlap by more than skew explains. */
function shareColumn(one: Box, other: Box): boolean {
  return sharedWidth(one, other) > 0.15 * Math.min(one.width, other.width);
}

function covers(rule: Box, block: Box): boolean {
  return sharedWidth(rule, block) > 0.7 * block.width;
}

function sharedWidth(one: Box, other: Box): number {
  return Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
}

function isBetween(box: Box, upper: Box, lower: Box): boolean {
  return middle(box) > middle(upper) && middle(box) < middle(lower);
}

function middle({ top, height }: Box): number {
  return top + height / 2;
}

function centre({ left, width }: Box): number {
  return left + width / 2;
}
