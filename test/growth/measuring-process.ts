/**
 * Measures readers of one list, in a process of its own: one that never returns can only be killed. Started by `measure-apart.ts`
 * with the path of the list; each message names a reader and what to do with it.
 */
import type { ForeignReader, ForeignText } from '../../src/engine/testing/foreign-reader.ts';
import { allShapes, fewShapes } from './hostile-shapes.ts';
import { type Growth, growthOf, leastCost, measureGrowth, smallestText } from './measure-growth.ts';

/** `leastMs`: how the cost of all shapes grows, from that time on. `size`: what a few shapes of this many characters cost. */
export interface Order {
  reader: string;
  measure: { leastMs: number } | { size: number };
}

export type News =
  | { doing: string }
  | { done: Growth[] }
  | { costs: { shape: string; size: number; ms: number }[] };

const { foreignText } = (await import(process.argv[2] ?? '')) as { foreignText: ForeignText };
/** Waits until it has left: after that, this thread may never do anything again. */
const tell = (news: News) =>
  new Promise<void>((done, fail) =>
    process.send?.(news, (error: Error | null) => (error ? fail(error) : done())),
  );

process.on('message', async ({ reader, measure }: Order) => {
  const found = foreignText.readers[reader];
  if (!found) throw new Error(`no reader ${reader}`);
  await tell(
    'leastMs' in measure
      ? { done: await growths(found, measure.leastMs) }
      : { costs: await costs(found, measure.size) },
  );
});

async function growths(reader: ForeignReader, leastMs: number): Promise<Growth[]> {
  const shapes = allShapes(reader);
  // The first thousands of calls are several times slower than the rest, which would hide how the cost grows.
  for (const { name, make } of shapes) {
    await tell({ doing: name });
    for (const size of [32, 256]) await leastCost(reader, make(Math.min(size, reader.limit?.[0] ?? size)), 1);
  }
  const found: Growth[] = [];
  let size = smallestText;
  for (const shape of shapes) {
    await tell({ doing: shape.name });
    const growth = await measureGrowth(reader, shape, { from: size, leastMs });
    if (growth) found.push(growth);
    // The next shape costs about as much: begin not far below.
    size = Math.max(smallestText, Math.floor((growth?.size ?? 4 * size) / 4));
  }
  return found.sort((one, other) => growthOf(other) - growthOf(one));
}

async function costs(reader: ForeignReader, wanted: number) {
  const size = Math.min(wanted, reader.limit?.[0] ?? wanted);
  const found: { shape: string; size: number; ms: number }[] = [];
  for (const { name, make } of fewShapes(reader)) {
    await tell({ doing: name });
    found.push({ shape: name, size, ms: await leastCost(reader, make(size), 10, 30) });
  }
  return found.sort((one, other) => other.ms - one.ms);
}
