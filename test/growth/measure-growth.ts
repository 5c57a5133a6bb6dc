import type { ForeignReader } from '../../src/engine/testing/foreign-reader.ts';
import type { Shape } from './hostile-shapes.ts';

/** CPU time of one call with a text of `size` characters, and with one of four times as many. */
export interface Growth {
  shape: string;
  size: number;
  ms: number;
  fourfoldMs: number;
}

/** Linear functions take 4 times as long for four times the text, quadratic ones 16 times. */
export const mostGrowth = 8;
/** Below this a ratio is plainly linear; above it a function gets all its attempts. */
const suspicious = 6;
export const smallestText = 256;
/** Times below are noise. */
export const usualLeastMs = 5;
/** Node keeps longer texts outside its heap, where each character takes several times as long to read. */
const longestText = 1_000_000;
const attempts = 5;

export const growthOf = ({ ms, fourfoldMs }: Growth): number => fourfoldMs / ms;

/** How the cost grows from the size on at which a call takes `leastMs`; undefined if even the longest text takes less. */
export async function measureGrowth(
  reader: ForeignReader,
  shape: Shape,
  { from = smallestText, leastMs = usualLeastMs }: { from?: number; leastMs?: number } = {},
): Promise<Growth | undefined> {
  const last = Math.max(1, Math.floor(Math.min(reader.limit?.[0] ?? longestText, longestText) / 4));
  let size = Math.min(from, last);
  // Least of three: a first call that was slow for other reasons would hide the growth.
  const look = () => leastCost(reader, shape.make(size), 3, leastMs);
  let ms = await look();
  while (ms < leastMs && size < last) {
    const missing = Math.ceil((1.2 * leastMs) / ms);
    size = Math.min(size * Math.min(16, Math.max(2, missing)), last);
    ms = await look();
  }
  const [text, fourfold] = [shape.make(size), shape.make(4 * size)];
  let fourfoldMs = await leastCost(reader, fourfold, 1);
  // Most are linear at the first look; the others get all their chances.
  if (fourfoldMs >= Math.max(leastMs, suspicious * ms)) {
    globalThis.gc?.();
    ms = Math.min(ms, await leastCost(reader, text, attempts));
    globalThis.gc?.();
    fourfoldMs = Math.min(fourfoldMs, await leastCost(reader, fourfold, attempts, suspicious * ms));
  }
  if (fourfoldMs < leastMs) return undefined;
  // At a first look with short texts: look again with longer ones.
  if (leastMs < usualLeastMs && fourfoldMs >= suspicious * ms)
    return measureGrowth(reader, shape, { from: size });
  return { shape: shape.name, size, ms, fourfoldMs };
}

/** The least CPU time of one call, in milliseconds, of several calls unless one takes less than `enoughMs`. */
export async function leastCost(
  { read }: Pick<ForeignReader, 'read'>,
  made: string,
  calls: number,
  enoughMs = 0,
): Promise<number> {
  // As it would arrive: `repeat` makes a tree of strings, which the first reader would have to flatten.
  const text = Buffer.from(made).toString();
  let least = Infinity;
  // Of the process, which has one thread: that of a thread is counted in ticks of milliseconds.
  for (let call = 0; call < calls && least > enoughMs; call += 1) {
    const before = process.cpuUsage();
    // A refusal is an answer too; what counts is what it cost.
    try {
      await read(text);
    } catch {}
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
