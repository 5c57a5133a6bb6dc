import type { Box, Line, Page } from '../page/page.ts';

/** A gutter lies in this part of the width of the text. */
const [from, to] = [0.35, 0.65];
/** Minimum lines on each side, and lines that stand beside one of the other side. */
const fewestLines = 10;
const fewestBeside = 6;
/** Maximum share of lines in blocks read across the gutter; with more, it is a table, which is read in rows. */
const mostAcross = 0.25;
/** Minimum lines of a block that is a piece of a column. */
const columnLines = 4;
/** Maximum words in the gutter: handwriting, a stain. */
const mostInside = 1;
/** In line heights. Gaps between words are narrower, and don't line up. */
const leastWidth = 0.8;
/**
 * Finds a gutter down the whole page between small blocks of two columns or pages, from the words that were read: hardly any word
 * stands in it, and most blocks keep to one side. Undefined if there is none.
 */
export function findPageGutter(page: Page): number | undefined {
  const blocks = page.regions
    .map((region) => ({ box: region.box, lines: region.paragraphs.flatMap(({ lines }) => lines) }))
    .filter(({ lines }) => lines.length > 0);
  const lines = blocks.flatMap((block) => block.lines);
  if (lines.length < 2 * fewestLines) return undefined;
  const left = Math.min(...lines.map(({ box }) => box.left));
  const right = Math.max(...lines.map(({ box }) => box.left + box.width));
  const gutter = emptiest(lines, left + from * (right - left), left + to * (right - left));
  if (gutter === undefined) return undefined;
  const large = blocks.filter((block) => block.lines.length >= columnLines).map(({ box }) => box);
  const isLarge = large.some(
    (one) => one.left + one.width <= gutter && large.some((two) => two.left >= gutter && isBeside(one, two)),
  );
  // Columns that the recogniser found itself are ordered together with the blocks above and below them.
  if (isLarge) return undefined;
  const across = blocks.filter(({ box }) => box.left < gutter && box.left + box.width > gutter);
  if (across.flatMap((block) => block.lines).length > mostAcross * lines.length) return undefined;
  const [one, other] = [
    lines.filter(({ box }) => box.left + box.width <= gutter),
    lines.filter(({ box }) => box.left >= gutter),
  ];
  if (Math.min(one.length, other.length) < fewestLines) return undefined;
  const beside = one.filter(({ box }) => other.some((line) => isBeside(box, line.box)));
  return beside.length >= fewestBeside ? gutter : undefined;
}

/** The centre of the widest strip that hardly any word crosses. */
function emptiest(lines: readonly Line[], start: number, end: number): number | undefined {
  const words = lines.flatMap((line) => line.words);
  const [first, last] = [Math.ceil(start), Math.floor(end)];
  const crossing = new Int32Array(Math.max(0, last - first) + 2);
  for (const { box } of words) {
    const [enters, leaves] = [Math.max(first, box.left), Math.min(last, box.left + box.width)];
    if (enters > leaves) continue;
    crossing[enters - first] = (crossing[enters - first] as number) + 1;
    crossing[leaves - first + 1] = (crossing[leaves - first + 1] as number) - 1;
  }
  let [inside, since, widest] = [0, 0, 0];
  let found: number | undefined;
  for (let at = 0; at <= last - first; at++) {
    inside += crossing[at] as number;
    if (inside > mostInside) since = at + 1;
    else if (at - since > widest) [widest, found] = [at - since, first + (since + at) / 2];
  }
  const line = lines.toSorted((one, other) => one.box.height - other.box.height)[lines.length >> 1];
  return widest >= leastWidth * (line?.box.height ?? 0) ? found : undefined;
}

function isBeside(one: Box, other: Box): boolean {
  const down = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  return down > 0.4 * Math.min(one.height, other.height);
}
