import type { PageBlock, PageElement } from '../html/page-tree.ts';
import { type DescribedBlock, describeBlock } from './described-block.ts';
import { fillMarks } from './element-marks.ts';
import { at, featureNames } from './features.ts';
import { type PageSums, type Sums, sumPage } from './page-sums.ts';

/** Calls back with the features of each block of a page; the row is valid only during the call. */
export function eachBlock(
  blocks: readonly PageBlock[],
  texts: readonly string[],
  title: string,
  take: (row: Float32Array, index: number) => void,
): void {
  const described = blocks.map((block, index) => describeBlock(block, texts[index] ?? ''));
  const sums = sumPage(described);
  const fillPosition = positionsIn(described, title);
  const pageBlocks = logOf(described.length);
  // One array for all: each of its own cost as much as filling it.
  const row = new Float32Array(featureNames.length);
  for (const [index, block] of described.entries()) {
    row.fill(0);
    fillText(row, block);
    fillTag(row, block.element.name);
    fillMarks(row, block.element);
    fillSums(row, block, sums);
    fillNeighbours(row, described, index);
    fillPosition(row, block, index);
    fillPhrases(row, block);
    row[at.pageBlocks] = pageBlocks;
    take(row, index);
  }
}

function fillText(row: Float32Array, block: DescribedBlock): void {
  const { length, words } = block;
  row[at.length] = logOf(length);
  row[at.words] = logOf(words);
  row[at.linked] = block.linkShare;
  row[at.commas] = block.commas / words;
  row[at.stops] = block.stops / words;
  row[at.endsSentence] = block.endsSentence ? 1 : 0;
  row[at.digits] = block.digits / (length + 1);
  row[at.capitals] = block.capitals / words;
  row[at.wordLength] = length / words;
  row[at.startsCapital] = block.startsCapital ? 1 : 0;
}

const tags = new Map<string, number>([
  ...([
    ['p', at.isParagraph],
    ['li', at.isItem],
    ['dd', at.isItem],
    ['dt', at.isItem],
    ['td', at.isCell],
  ] as const),
  ...([
    ['th', at.isCell],
    ['div', at.isDivision],
    ['section', at.isDivision],
    ['article', at.isDivision],
  ] as const),
  ...([
    ['blockquote', at.isQuote],
    ['pre', at.isPre],
    ['figcaption', at.isCaption],
    ['caption', at.isCaption],
  ] as const),
]);

function fillTag(row: Float32Array, name: string): void {
  const level = headingLevel(name);
  if (level > 0) {
    row[at.isHeading] = 1;
    row[at.headingLevel] = level;
  } else row[tags.get(name) ?? at.isOtherTag] = 1;
}

function headingLevel(name: string): number {
  if (name.length !== 2 || !name.startsWith('h')) return 0;
  const level = name.charCodeAt(1) - 48;
  return level >= 1 && level <= 6 ? level : 0;
}

const none: Sums = { text: 0, linked: 0, prose: 0, count: 0, score: 0 };

function fillSums(
  row: Float32Array,
  { element, style }: DescribedBlock,
  { page, elements, styles, candidate }: PageSums,
): void {
  let level = 0;
  let found = -1;
  for (
    let each: PageElement | undefined = element;
    each !== undefined && found < 0;
    each = each.parent, level += 1
  )
    if (each === candidate) found = level;
  const of = (each: PageElement | undefined) => (each === undefined ? none : (elements[each.index] ?? none));
  const parent = of(element.parent);
  const grand = of(element.parent?.parent);
  const alike = styles.get(style) ?? none;
  const prose = page.prose + 1;
  row[at.inCandidate] = found >= 0 ? 1 : 0;
  row[at.belowCandidate] = found >= 0 ? Math.min(10, found) : 15;
  row[at.candidateShare] = of(candidate).prose / prose;
  row[at.parentProse] = logOf(parent.prose);
  row[at.parentLinked] = parent.linked / (parent.text + 1);
  row[at.parentShare] = parent.prose / prose;
  row[at.grandProse] = logOf(grand.prose);
  row[at.grandLinked] = grand.linked / (grand.text + 1);
  row[at.grandShare] = grand.prose / prose;
  row[at.styleProse] = alike.prose / (alike.text + 1);
  row[at.styleShare] = alike.prose / prose;
  row[at.styleCount] = logOf(alike.count);
  row[at.styleLinked] = alike.linked / (alike.text + 1);
  row[at.pageProse] = logOf(page.prose);
  row[at.pageLinked] = page.linked / (page.text + 1);
}

function fillNeighbours(row: Float32Array, blocks: readonly DescribedBlock[], index: number): void {
  const { style } = blocks[index] as DescribedBlock;
  const previous = blocks[index - 1];
  const next = blocks[index + 1];
  row[at.previousLength] = logOf(previous?.length ?? 0);
  row[at.previousLinked] = previous?.linkShare ?? 1;
  row[at.previousSame] = previous === undefined ? -1 : previous.style === style ? 1 : 0;
  row[at.previousEnds] = previous?.endsSentence === true ? 1 : 0;
  row[at.nextLength] = logOf(next?.length ?? 0);
  row[at.nextLinked] = next?.linkShare ?? 1;
  row[at.nextSame] = next === undefined ? -1 : next.style === style ? 1 : 0;
  row[at.nextEnds] = next?.endsSentence === true ? 1 : 0;
  row[at.secondPrevious] = logOf(blocks[index - 2]?.length ?? 0);
  row[at.secondNext] = logOf(blocks[index + 2]?.length ?? 0);
}

const longestTitle = 1_000;

/** Where in the page a block stands, and whether it is the title or stands there twice. To be called block by block. */
function positionsIn(blocks: readonly DescribedBlock[], title: string) {
  const total = blocks.reduce((sum, { length }) => sum + length, 1);
  const counts = new Map<string, number>();
  for (const { text } of blocks) counts.set(text, (counts.get(text) ?? 0) + 1);
  const titleAt = blocks.findIndex(({ element }) => element.name === 'h1');
  const proses = blocks.flatMap(({ isProse }, index) => (isProse ? [index] : []));
  const firstProse = proses[0] ?? Number.POSITIVE_INFINITY;
  const lastProse = proses.at(-1) ?? -1;
  // Searched for every block.
  const lowerTitle = title.slice(0, longestTitle).toLowerCase();
  let before = 0;
  let heading = -1;
  let proseBefore = 0;
  let lastSeen = -1;
  let coming = 0;
  return (row: Float32Array, { text, length, element, isProse }: DescribedBlock, index: number): void => {
    if (headingLevel(element.name) > 0) heading = index;
    while (coming < proses.length && (proses[coming] as number) <= index) coming += 1;
    const next = proses[coming];
    row[at.position] = index / blocks.length;
    row[at.textBefore] = before / total;
    row[at.afterTitle] = titleAt < 0 ? 0 : Math.max(-30, Math.min(60, index - titleAt));
    row[at.sinceHeading] = heading < 0 ? 30 : Math.min(30, index - heading);
    row[at.betweenProse] = index >= firstProse && index <= lastProse ? 1 : 0;
    row[at.toProseBefore] = lastSeen < 0 ? 30 : Math.min(30, index - lastSeen);
    row[at.toProseAfter] = next === undefined ? 30 : Math.min(30, next - index);
    row[at.proseBefore] = logOf(proseBefore);
    row[at.isTitle] = length > 5 && length <= title.length && lowerTitle.includes(text.toLowerCase()) ? 1 : 0;
    row[at.repeated] = Math.min(5, counts.get(text) ?? 1);
    before += length;
    if (!isProse) return;
    proseBefore += length;
    lastSeen = index;
  };
}

function fillPhrases(row: Float32Array, { phrases }: DescribedBlock): void {
  for (const feature of phrases) row[feature] = 1;
}

/** Lengths and counts are mostly small: a table takes a tenth of the time. */
const logarithms = Float64Array.from({ length: 4096 }, (_, value) => Math.log1p(value));

/** log(1 + value) */
function logOf(value: number): number {
  return value < 4096 && Number.isInteger(value) ? (logarithms[value] as number) : Math.log1p(value);
}
