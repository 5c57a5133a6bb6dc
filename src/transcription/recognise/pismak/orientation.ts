import type { Grey } from '../../image/grey.ts';
import type { QuarterTurn } from '../../page/transformation.ts';
import type { Orientation } from '../recogniser.ts';
import { doubtOf } from './doubt.ts';
import type { Model } from './model.ts';

const turns: readonly QuarterTurn[] = [0, 90, 180, 270];

/**
 * Reads a few lines in all four directions and takes the one in which the network is surest. The confidence is the ratio of its doubt
 * in the next best direction to that in the best.
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
