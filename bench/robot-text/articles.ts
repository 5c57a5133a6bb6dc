import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

export interface Article {
  id: string;
  url: string;
  html: Buffer;
  /** The main text, as a person marked it. */
  truth: string;
}

const schema = z.record(z.string(), z.object({ articleBody: z.string(), url: z.string() }));

/** Pages and their main text from a directory laid out as Scrapinghub's article-extraction benchmark. */
export function readArticles(directory: string): Article[] {
  const truths = schema.parse(JSON.parse(readFileSync(join(directory, 'ground-truth.json'), 'utf8')));
  return Object.entries(truths).map(([id, { articleBody, url }]) => ({
    id,
    url,
    html: gunzipSync(readFileSync(join(directory, 'html', `${id}.html.gz`))),
    truth: articleBody,
  }));
}

export function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
}

/** Runs of four words and how often they occur. */
export function shingles(text: string): Map<string, number> {
  const words = tokens(text);
  const counts = new Map<string, number>();
  const add = (run: string) => counts.set(run, (counts.get(run) ?? 0) + 1);
  if (words.length > 0 && words.length < 4) add(words.join(' '));
  for (let at = 0; at + 4 <= words.length; at += 1) add(words.slice(at, at + 4).join(' '));
  return counts;
}

export interface Score {
  precision: number;
  recall: number;
}

/** As the benchmark counts: shingles of both, precision and recall of one page. */
export function scoreOf(found: string, truth: string): Score {
  const wanted = shingles(truth);
  const got = shingles(found);
  let hits = 0;
  let extra = 0;
  for (const [run, count] of got) {
    const common = Math.min(count, wanted.get(run) ?? 0);
    hits += common;
    extra += count - common;
  }
  let missed = 0;
  for (const [run, count] of wanted) missed += Math.max(0, count - (got.get(run) ?? 0));
  if (extra === 0 && missed === 0) return { precision: 1, recall: 1 };
  return {
    precision: hits + extra === 0 ? 0 : hits / (hits + extra),
    recall: hits + missed === 0 ? 0 : hits / (hits + missed),
  };
}

/** F1 of the averages. */
export function f1Of(scores: readonly Score[]): Score & { f1: number } {
  const mean = (of: (score: Score) => number) =>
    scores.reduce((sum, each) => sum + of(each), 0) / scores.length;
  const precision = mean((score) => score.precision);
  const recall = mean((score) => score.recall);
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}
