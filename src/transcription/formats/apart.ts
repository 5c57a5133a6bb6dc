import type { Box, Line, Page } from '../page/page.ts';

/**
 * Removes overlaps between boxes of the same kind, as hOCR requires. Recognisers return overlapping boxes of lines, especially
 * on skewed pages. Words keep their boxes.
 */
export function withoutOverlaps(page: Page): Page {
  const copy = structuredClone(page);
  const paragraphs = copy.regions.flatMap((region) => region.paragraphs);
  separate(paragraphs.flatMap((paragraph) => paragraph.lines));
  for (const paragraph of paragraphs) paragraph.box = around(paragraph.lines) ?? paragraph.box;
  separate(paragraphs);
  const texts = copy.regions.filter(({ kind }) => kind === 'text');
  for (const region of texts) region.box = around(region.paragraphs) ?? region.box;
  separate(texts);
  return copy;
}

type Boxed = { box: Box };

/** More than any page has. Comparing all pairs would take too long. */
const mostBoxes = 5000;

/** Cuts boxes that overlap, from top to bottom. */
function separate(things: Boxed[]): void {
  if (things.length > mostBoxes) return;
  const sorted = things.toSorted((one, other) => one.box.top - other.box.top);
  for (const [index, one] of sorted.entries()) {
    for (const other of sorted.slice(index + 1)) {
      // Compare all pairs: cutting moves tops, so the order is no longer sorted. Boxes only shrink, so one pass is enough.
      cut(one, other);
    }
  }
}

/** Cuts both boxes in the middle of their overlap, along its shorter side. */
function cut(one: Boxed, other: Boxed): void {
  const across = shared(one.box.left, one.box.width, other.box.left, other.box.width);
  const down = shared(one.box.top, one.box.height, other.box.top, other.box.height);
  if (across <= 0 || down <= 0) return;
  const [start, length] = across < down ? (['left', 'width'] as const) : (['top', 'height'] as const);
  const [first, second] = one.box[start] <= other.box[start] ? [one, other] : [other, one];
  const end = (box: Box) => box[start] + box[length];
  // If the second lies within the first, keep the larger remainder of the first.
  if (end(first.box) > end(second.box)) {
    const [before, after] = [second.box[start] - first.box[start], end(first.box) - end(second.box)];
    if (before >= after) first.box = { ...first.box, [length]: before };
    else first.box = { ...first.box, [start]: end(second.box), [length]: after };
    return;
  }
  const middle = Math.round((second.box[start] + end(first.box)) / 2);
  second.box = { ...second.box, [start]: middle, [length]: end(second.box) - middle };
  first.box = { ...first.box, [length]: middle - first.box[start] };
}

function shared(start: number, length: number, otherStart: number, otherLength: number): number {
  return Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart);
}

function around(things: readonly (Boxed | Line)[]): Box | undefined {
  if (things.length === 0) return undefined;
  const left = Math.min(...things.map(({ box }) => box.left));
  const top = Math.min(...things.map(({ box }) => box.top));
  return {
    left,
    top,
    width: Math.max(...things.map(({ box }) => box.left + box.width)) - left,
    height: Math.max(...things.map(({ box }) => box.top + box.height)) - top,
  };
}
