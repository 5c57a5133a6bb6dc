import type { Grey } from '../../image/grey.ts';
import { type FoundLine, findLines } from '../../lines/find-lines.ts';
import { lineCutter } from './cut-line.ts';
import type { Model } from './model.ts';
import { readLines } from './read-lines.ts';

/** The longest lines suffice. */
const mostLines = 12;
/** Fewer letters are inconclusive. */
const fewestLetters = 20;

/** Mean uncertainty of the network about a few lines of a page: 0 is sure of every letter, 1 of none. */
export async function doubtOf(model: Model, page: Grey, signal: AbortSignal): Promise<number> {
  const cut = lineCutter(page, model.height);
  const strips = findLines(page)
    .lines.toSorted((one, other) => lengthOf(other) - lengthOf(one))
    .slice(0, mostLines)
    .flatMap((line) => cut(line) ?? []);
  const letters = (await readLines(model, strips, signal)).flat();
  if (letters.length < fewestLetters) return 1;
  return 1 - letters.reduce((sum, { confidence }) => sum + confidence, 0) / letters.length;
}

export function lengthOf({ baseline }: FoundLine): number {
  return (baseline.at(-1)?.x ?? 0) - (baseline[0]?.x ?? 0);
}
