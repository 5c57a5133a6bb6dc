import { PismakError } from '../../engine/ground/errors.ts';
import { type Comparison, compareTexts, errorRate, total } from './compare.ts';
import type { Normalisation } from './symbols.ts';
import { findTexts, readText } from './text-files.ts';

/** One page: where its two texts are, and how far apart they are. */
export interface EvaluatedPage extends Comparison {
  name: string;
  truthFile: string;
  foundFile: string;
}

/** All pages together, and each. */
export interface Evaluation extends Comparison {
  /** Worst first. */
  pages: EvaluatedPage[];
  /** Names that only the truth has (`missing`) or lacks (`extra`). Neither counts. */
  missing: string[];
  extra: string[];
}

/** Compares the texts of two directories, page by page. */
export async function evaluate(options: {
  found: string;
  truth: string;
  normalisation?: Normalisation;
  signal?: AbortSignal;
}): Promise<Evaluation> {
  const truth = await findTexts(options.truth);
  if (truth.size === 0) throw new PismakError('not-found', `there is no .txt file in ${options.truth}`);
  const found = await findTexts(options.found);
  const pages: EvaluatedPage[] = [];
  for (const [name, truthFile] of truth) {
    options.signal?.throwIfAborted();
    const foundFile = found.get(name);
    if (foundFile === undefined) continue;
    const texts = [await readText(truthFile), await readText(foundFile)] as const;
    pages.push({ name, truthFile, foundFile, ...compareTexts(...texts, options.normalisation) });
  }
  if (pages.length === 0) {
    const advice = `expected NAME.txt or NAME/text.txt for each NAME.txt of ${options.truth}`;
    throw new PismakError('not-found', `${options.found} has no page of the truth; ${advice}`);
  }
  return {
    characters: total(pages.map((page) => page.characters)),
    words: total(pages.map((page) => page.words)),
    bag: total(pages.map((page) => page.bag)),
    pages: pages.sort(worstFirst),
    missing: [...truth.keys()].filter((name) => !found.has(name)),
    extra: [...found.keys()].filter((name) => !truth.has(name)),
  };
}

function worstFirst(a: EvaluatedPage, b: EvaluatedPage): number {
  return (
    errorRate(b.characters) - errorRate(a.characters) ||
    errorRate(b.words) - errorRate(a.words) ||
    (a.name < b.name ? -1 : 1)
  );
}
