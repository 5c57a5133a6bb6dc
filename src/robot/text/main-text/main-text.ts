import { readFileSync } from 'node:fs';
import type { PageBlock } from '../html/page-tree.ts';
import { blockFeatures } from './block-features.ts';
import { compileModel, type Predict, type TreeModel } from './tree-model.ts';

let shipped: Predict | undefined;

/** Fitted by `npm run bench -- robot-text --train`. */
function shippedModel(): Predict {
  shipped ??= compileModel(
    JSON.parse(readFileSync(new URL('./main-text.trees', import.meta.url), 'utf8')) as TreeModel,
  );
  return shipped;
}

/** Pages with more blocks are lists or broken: they have no main text worth the time. */
const mostBlocks = 20_000;

/** The text that a page is about, without navigation, advertisements, comments and what else stands around it. */
export function mainText(
  blocks: readonly PageBlock[],
  texts: readonly string[],
  title: string,
  predict: Predict = shippedModel(),
): string {
  if (blocks.length === 0 || blocks.length > mostBlocks) return '';
  const chances = blockFeatures(blocks, texts, title).map(predict);
  const limit = limitOf(chances, texts);
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

/** Half, unless that would leave next to nothing: then the page is of a kind that the model knows little, and its best blocks count. */
function limitOf(chances: readonly number[], texts: readonly string[]): number {
  let chosen = 0;
  let highest = 0;
  for (const [index, chance] of chances.entries()) {
    if (chance > 0.5) chosen += texts[index]?.length ?? 0;
    highest = Math.max(highest, chance);
  }
  return chosen >= 150 ? 0.5 : Math.min(0.5, highest / 2);
}
