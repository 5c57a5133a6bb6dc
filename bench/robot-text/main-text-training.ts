import { scanHtml } from '../../src/formats/markup/scan.ts';
import { decodePage } from '../../src/robot/text/html/charset.ts';
import { PageReader } from '../../src/robot/text/html/page-reader.ts';
import { type PageBlock, PageTree } from '../../src/robot/text/html/page-tree.ts';
import { eachBlock } from '../../src/robot/text/main-text/block-features.ts';
import { mainText } from '../../src/robot/text/main-text/main-text.ts';
import { compileModel, type Predict, type TreeModel } from '../../src/robot/text/main-text/tree-model.ts';
import { type Article, f1Of, type Score, scoreOf, shingles, tokens } from './articles.ts';
import { fitTrees } from './boosted-trees.ts';

/** A page, and which of its blocks belong to the main text. */
export interface Sample {
  article: Article;
  blocks: readonly PageBlock[];
  texts: readonly string[];
  title: string;
  rows: readonly Float32Array[];
  labels: readonly number[];
  weights: readonly number[];
}

const options = { trees: 80, depth: 4, rate: 0.1, leafWeight: 0.5, smoothing: 1, featureShare: 0.3 };

export function sampleOf(article: Article): Sample {
  const { text: html } = decodePage(article.html);
  const tree = new PageTree();
  const reader = new PageReader(html, tree);
  scanHtml(html, reader);
  const texts = tree.textsIn(reader.content.toString());
  const { title } = reader.head;
  const wanted = shingles(article.truth);
  const truth = tokens(article.truth);
  const running = ` ${truth.join(' ')} `;
  const labels = texts.map((text) => {
    const words = tokens(text);
    if (words.length === 0) return 0;
    if (words.length < 6) return running.includes(` ${words.join(' ')} `) ? 1 : 0;
    const own = [...shingles(text).keys()];
    return own.filter((run) => wanted.has(run)).length > own.length / 2 ? 1 : 0;
  });
  // What a block counts for in the score of its page.
  const weights = texts.map((text) => 0.02 + 20 * Math.min(1, tokens(text).length / truth.length));
  const rows: Float32Array[] = [];
  eachBlock(tree.blocks, texts, title, (row) => rows.push(row.slice()));
  return { article, blocks: tree.blocks, texts, title, rows, labels, weights };
}

export function fitModel(samples: readonly Sample[]): TreeModel {
  const random = randomFrom(7);
  return fitTrees(
    {
      rows: samples.flatMap(({ rows }) => rows),
      labels: Float32Array.from(samples.flatMap(({ labels }) => labels)),
      weights: Float32Array.from(samples.flatMap(({ weights }) => weights)),
    },
    { ...options, random },
  );
}

/** Every page is judged by a model that has not seen it. */
export function crossValidate(samples: readonly Sample[], folds: number): Score & { f1: number } {
  const scores: Score[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const predict = compileModel(fitModel(samples.filter((_, index) => index % folds !== fold)));
    for (const sample of samples.filter((_, index) => index % folds === fold))
      scores.push(scoreSample(sample, predict));
  }
  return f1Of(scores);
}

/** What the shipped model finds. */
export function mainTextOf({ blocks, texts, title }: Sample): string {
  return mainText(blocks, texts, title);
}

export function scoreSample({ blocks, texts, title, article }: Sample, predict: Predict): Score {
  return scoreOf(mainText(blocks, texts, title, predict), article.truth);
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
