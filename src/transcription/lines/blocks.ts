import { boxAround } from '../image/box.ts';
import type { Box, Line, Region } from '../page/page.ts';

/** In line heights: maximum gap between lines of a block, and maximum excess over the usual gap. */
const furthest = 1.6;
const moreThanUsual = 0.35;
/** Lines of a block differ in size by less than this. */
const mostRatio = 1.7;

/** Minimum share of the width of a line beside others; less is a fragment. */
const leastShare = 0.3;

/** Groups lines into blocks, top to bottom: each line with the one below it, unless several lines stand there side by side. */
export function asRegions(lines: readonly Line[]): Region[] {
  const sorted = lines.toSorted((one, other) => middle(one.box) - middle(other.box));
  const near = sorted.map((line, index) => ({ line, some: neighbours(line, sorted.slice(index + 1)) }));
  const usual = usualGap(near);
  const below = new Map(
    near.map(({ line, some }) => [line, some.filter((one) => gapOf(line, one) < usual + moreThanUsual)]),
  );
  const above = new Map<Line, Line[]>();
  for (const [line, some] of below) for (const one of some) above.set(one, [...(above.get(one) ?? []), line]);
  const follower = new Map<Line, Line>();
  for (const line of sorted) {
    const next = onlyOne(line, below.get(line) ?? []);
    if (next && onlyOne(next, above.get(next) ?? []) === line && isAlike(line.box, next.box))
      follower.set(line, next);
  }
  const led = new Set(follower.values());
  return sorted
    .filter((line) => !led.has(line))
    .map((first) => {
      const block: Line[] = [];
      for (let line: Line | undefined = first; line; line = follower.get(line)) block.push(line);
      return asRegion(block);
    });
}

/** The gap between a line and one below it, in heights of a line. */
function gapOf({ box }: Line, { box: below }: Line): number {
  return (below.top - (box.top + box.height)) / Math.max(box.height, below.height);
}

function usualGap(near: readonly { line: Line; some: readonly Line[] }[]): number {
  const gaps = near
    .flatMap(({ line, some }) => (some[0] ? [gapOf(line, some[0])] : []))
    .sort((one, other) => one - other);
  return Math.max(0, gaps[gaps.length >> 1] ?? 0);
}

function onlyOne({ box }: Line, beside: readonly Line[]): Line | undefined {
  const some =
    beside.length > 1 ? beside.filter((one) => shared(one.box, box) >= leastShare * box.width) : beside;
  return some.length === 1 ? some[0] : undefined;
}

/** The lines right below that no other line hides. */
function neighbours({ box }: Line, after: readonly Line[]): Line[] {
  const found: Line[] = [];
  for (const line of after) {
    if (line.box.top - (box.top + box.height) > furthest * Math.max(box.height, line.box.height)) continue;
    if (shared(box, line.box) <= 0.1 * Math.min(box.width, line.box.width)) continue;
    // Side by side, with overlapping ends.
    if (middle(line.box) < box.top + box.height * 0.75) continue;
    const isHidden = found.some(
      (nearer) =>
        shared(nearer.box, line.box) > 0.1 * Math.min(nearer.box.width, line.box.width) &&
        middle(line.box) > nearer.box.top + nearer.box.height * 0.75,
    );
    if (!isHidden) found.push(line);
  }
  return found;
}

function isAlike(one: Box, other: Box): boolean {
  return Math.max(one.height, other.height) <= mostRatio * Math.min(one.height, other.height);
}

function asRegion(lines: Line[]): Region {
  const box = boxAround(lines.map((line) => line.box));
  return { kind: 'text', box, paragraphs: [{ box, lines }] };
}

function middle({ top, height }: Box): number {
  return top + height / 2;
}

function shared(one: Box, other: Box): number {
  return Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
}
