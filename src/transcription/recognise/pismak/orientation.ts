import type { Grey } from '../../image/grey.ts';
import { type FoundLine, findLines } from '../../lines/find-lines.ts';
import type { QuarterTurn } from '../../prepare/orientation.ts';
import type { Orientation } from '../recogniser.ts';
import { lineCutter } from './cut-line.ts';
import type { Model } from './model.ts';
import { readLines } from './read-lines.ts';

const turns: readonly QuarterTurn[] = [0, 90, 180, 270];
/** The longest lines of a page are enough. */
const mostLines = 12;
/** Fewer letters tell nothing. */
const fewestLetters = 20;

/**
 * Reads a few lines in all four directions: in the right one the network is surer. The confidence tells how many times as unsure it is in
 * the next best direction.
 */
export async function findOrientation(
  model: Model,
  page: Grey,
  signal: AbortSignal,
): Promise<Orientation | undefined> {
  const doubts: { turn: QuarterTurn; doubt: number }[] = [];
  for (const turn of turns) doubts.push({ turn, doubt: await doubtOf(model, turned(page, turn), signal) });
  const [best, next] = doubts.toSorted((one, other) => one.doubt - other.doubt);
  if (!best || !next || best.doubt === 1) return undefined;
  return { turn: best.turn, confidence: next.doubt / Math.max(0.001, best.doubt) };
}

/** From 0 for a page on which each letter is sure to 1. */
async function doubtOf(model: Model, page: Grey, signal: AbortSignal): Promise<number> {
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

/** Clockwise. */
function turned({ data, width, height }: Grey, turn: QuarterTurn): Grey {
  if (turn === 0) return { data, width, height };
  if (turn === 180) return { data: data.toReversed(), width, height };
  const image = { data: new Uint8Array(data.length), width: height, height: width };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = turn === 90 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      image.data[to] = data[y * width + x] as number;
    }
  }
  return image;
}
