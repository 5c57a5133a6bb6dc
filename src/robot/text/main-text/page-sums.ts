import type { PageElement } from '../html/page-tree.ts';
import type { DescribedBlock } from './described-block.ts';
import { marksOf } from './element-marks.ts';

export interface Sums {
  text: number;
  linked: number;
  prose: number;
  count: number;
  /** How much it looks like the container of the main text, as Readability counts it. */
  score: number;
}

const emptySums = (): Sums => ({ text: 0, linked: 0, prose: 0, count: 0, score: 0 });

/** How much text, links and prose there is in the page, in each element and of each style. */
export interface PageSums {
  page: Sums;
  /** By the index of the element. */
  elements: readonly (Sums | undefined)[];
  styles: ReadonlyMap<string, Sums>;
  /** The element that holds most of the prose, as closely as possible. */
  candidate: PageElement | undefined;
}

export function sumPage(blocks: readonly DescribedBlock[]): PageSums {
  const page = emptySums();
  const elements: (Sums | undefined)[] = [];
  const holders: PageElement[] = [];
  const styles = new Map<string, Sums>();
  for (const block of blocks) {
    const own = block.isProse ? 1 + block.commas + Math.min(3, block.length / 100) : 0;
    addTo(page, block, own);
    let style = styles.get(block.style);
    if (style === undefined) {
      style = emptySums();
      styles.set(block.style, style);
    }
    addTo(style, block, own);
    let level = 0;
    for (
      let each: PageElement | undefined = block.element;
      each !== undefined;
      each = each.parent, level += 1
    ) {
      // The parent gets all, its parent half, and so on; a block that is its own container counts as a parent.
      const share = level <= 1 ? own : own / (2 * (level - 1) + (level > 2 ? level : 0));
      let sums = elements[each.index];
      if (sums === undefined) {
        sums = emptySums();
        elements[each.index] = sums;
        holders.push(each);
      }
      addTo(sums, block, share);
    }
  }
  return { page, elements, styles, candidate: bestCandidate(holders, elements) };
}

function addTo(sums: Sums, { length, linked, isProse }: DescribedBlock, score: number): void {
  sums.text += length;
  sums.linked += linked;
  sums.count += 1;
  sums.score += score;
  if (isProse) sums.prose += length;
}

function bestCandidate(holders: readonly PageElement[], elements: readonly (Sums | undefined)[]) {
  let best: PageElement | undefined;
  let highest = 0;
  for (const element of holders) {
    const { score, text, linked } = elements[element.index] ?? emptySums();
    if (score <= highest / 2 || element.name === 'p' || element.name === 'li' || element.name === 'html')
      continue;
    const { isGood, isBad } = marksOf(element);
    const weight = (1 + 0.25 * isGood) * (1 - 0.4 * isBad) * (element.name === 'article' ? 1.3 : 1);
    const value = score * weight * (1 - Math.min(1, linked / (text + 1)));
    if (value > highest) {
      highest = value;
      best = element;
    }
  }
  return best;
}
