import type { Grey } from '../../image/grey.ts';
import { decode, type ReadLetter } from './decode.ts';
import type { Model } from './model.ts';
import { type LineInk, normaliseLine } from './normalise-line.ts';

/** Lines per batch: more are no faster and take more memory. */
const batchLines = 8;
/** Columns of all lines of a batch together. */
const batchColumns = 3_000;
/** The network reduces the width of lines by this factor. */
const shrink = 4;
/** Lines of a batch are padded to a multiple of this. */
const roundedTo = 32;
/** Longer lines are cut at the widest gap. */
const longest = 3000;
/** Minimum columns of a gap between words. */
const leastSpace = 8;

/** Reads lines of the model's height, a batch at a time. An empty line gives no letters. */
export async function readLines(
  model: Model,
  strips: readonly Grey[],
  signal: AbortSignal,
): Promise<ReadLetter[][]> {
  const read: ReadLetter[][] = strips.map(() => []);
  const pieces = strips.flatMap((strip, line) =>
    strip.width < shrink || strip.height !== model.height
      ? []
      : cut(strip).map((piece) => ({ ...piece, line })),
  );
  // Batch lines of similar width, because padding is wasted work.
  const sorted = pieces.toSorted((one, other) => one.width - other.width);
  for (let from = 0; from < sorted.length; ) {
    signal.throwIfAborted();
    let to = from + 1;
    const fits = () => (sorted[to]?.width ?? Infinity) * (to + 1 - from) <= batchColumns;
    while (to - from < batchLines && fits()) to++;
    // Only now, because the input takes four bytes per pixel.
    const batch = sorted
      .slice(from, to)
      .map((piece) => ({ ...piece, ink: piece.ink() }))
      .filter(({ ink }) => ink.data.some((one) => one > 0));
    from = to;
    if (batch.length === 0) continue;
    const width = roundUp(batch.at(-1)?.width ?? 0);
    const answers = await model.read(filled(batch, width, model.height), batch.length, width);
    const [classes, columns] = [model.letters.length, width / shrink];
    for (const [index, { ink, line, start, hasSpace }] of batch.entries()) {
      const data = answers.subarray(index * columns * classes, (index + 1) * columns * classes);
      const own = decode({ data, columns: Math.ceil(ink.width / shrink), classes }, model.letters);
      const shift = start / shrink;
      for (const letter of own)
        read[line]?.push({ ...letter, start: letter.start + shift, end: letter.end + shift });
      const end = (start + ink.width) / shrink;
      if (hasSpace) read[line]?.push({ text: ' ', start: end, end, confidence: 1 });
    }
  }
  for (const letters of read) letters.sort((one, other) => one.start - other.start);
  return read;
}

/** Columns of a strip per column of the output. */
export const columnsPerAnswer = shrink;

function roundUp(width: number): number {
  return Math.ceil(width / roundedTo) * roundedTo;
}

function filled(batch: readonly { ink: LineInk }[], width: number, height: number): Float32Array {
  const all = new Float32Array(batch.length * width * height);
  for (const [index, { ink }] of batch.entries()) {
    for (let row = 0; row < height; row++)
      all.set(ink.data.subarray(row * ink.width, (row + 1) * ink.width), (index * height + row) * width);
  }
  return all;
}

interface Piece {
  width: number;
  ink(): LineInk;
  /** Its first column in the line. */
  start: number;
  /** Whether a gap between words ends it. */
  hasSpace: boolean;
}

function cut(strip: Grey): Piece[] {
  if (strip.width <= longest)
    return [{ width: strip.width, ink: () => normaliseLine(strip), start: 0, hasSpace: false }];
  const whole = normaliseLine(strip);
  const pieces: Piece[] = [];
  for (let start = 0; start < whole.width; ) {
    const isLast = whole.width - start <= longest;
    const gap = isLast
      ? { middle: whole.width, width: 0 }
      : widestGap(whole, start + longest / 2, start + longest);
    const ink = part(whole, start, gap.middle - start);
    pieces.push({ width: ink.width, ink: () => ink, start, hasSpace: gap.width >= leastSpace });
    start = gap.middle;
  }
  return pieces;
}

/** The widest run of columns with the least ink. Its middle is aligned to a column of the output. */
function widestGap(
  { data, width, height }: LineInk,
  from: number,
  to: number,
): { middle: number; width: number } {
  const sums = new Float32Array(to - from);
  for (let row = 0; row < height; row++)
    for (let column = from; column < to; column++)
      sums[column - from] = (sums[column - from] as number) + (data[row * width + column] as number);
  const least = sums.reduce((low, sum) => Math.min(low, sum), Infinity);
  let best = { middle: to, width: 0 };
  for (let start = 0; start < sums.length; start++) {
    let end = start;
    while (end < sums.length && (sums[end] as number) <= least + littleInk) end++;
    if (end - start > best.width)
      best = { middle: from + Math.round((start + end) / 2 / shrink) * shrink, width: end - start };
    start = end;
  }
  return best;
}

/** Ink of grain in a column of paper. */
const littleInk = 0.5;

function part({ data, width, height }: LineInk, start: number, across: number): LineInk {
  const cutOut = new Float32Array(across * height);
  for (let row = 0; row < height; row++)
    cutOut.set(data.subarray(row * width + start, row * width + start + across), row * across);
  return { data: cutOut, width: across, height };
}
