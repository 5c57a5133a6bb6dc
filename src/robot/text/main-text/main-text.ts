import { readFileSync } from 'node:fs';
import { mostBlocks, type PageBlock } from '../html/page-tree.ts';
import { eachBlock } from './block-features.ts';
import { compileModel, type Predict, type TreeModel } from './tree-model.ts';

let shipped: Predict | undefined;

/** Fitted by `npm run bench -- robot-text --train`. */
function shippedModel(): Predict {
  shipped ??= compileModel(
    JSON.parse(readFileSync(new URL('./main-text.trees', import.meta.url), 'utf8')) as TreeModel,
  );
  return shipped;
}

/** The main text of a page, without navigation, advertisements, comments and the like. */
export function mainText(
  blocks: readonly PageBlock[],
  texts: readonly string[],
  title: string,
  predict: Predict = shippedModel(),
): string {
  if (blocks.length === 0 || blocks.length > mostBlocks) return '';
  const chances: number[] = [];
  eachBlock(blocks, texts, title, (row) => chances.push(predict(row)));
  const limit = limitOf(chances, blocks, texts);
  let text = '';
  let last = -1;
  for (const [index, chance] of chances.entries()) {
    if (chance <= limit) continue;
    if (last >= 0)
      text += blocks[last]?.element === blocks[index]?.element && last === index - 1 ? '\n' : '\n\n';
    text += texts[index];
    last = index;
  }
  return text;
}

/** If the main text is less than this share of the page's text outside links, the model has missed most of it. */
const leastShare = 0.25;
const leastText = 150;

/**
 * Half, unless that would leave next to nothing: then the page is of a kind that the model knows little (short steps of a manual, a
 * poem), and blocks count that it is only rather doubtful about.
 */
function limitOf(chances: readonly number[], blocks: readonly PageBlock[], texts: readonly string[]): number {
  let chosen = 0;
  let unlinked = 0;
  let highest = 0;
  for (const [index, chance] of chances.entries()) {
    const length = texts[index]?.length ?? 0;
    if (chance > 0.5) chosen += length;
    unlinked += Math.max(0, length - (blocks[index]?.linked ?? 0));
    highest = Math.max(highest, chance);
  }
  if (chosen < leastShare * unlinked) return Math.min(0.2, highest / 2);
  return chosen < leastText ? Math.min(0.5, highest / 2) : 0.5;
}
