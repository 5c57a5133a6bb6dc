import type { Turns } from '../turns/turns.ts';

/** A collator compares names, which takes a microsecond each time. */
const comparedAtOnce = 1024;

/**
 * The rows of one page in order, without sorting all the others: a heap keeps the best so far. Equal rows keep their order, so
 * that pages neither repeat nor miss any.
 */
export async function firstRows(
  rows: number,
  options: {
    offset: number;
    limit: number;
    descending: boolean;
    values?: Float64Array;
    texts?: readonly string[];
    turns: Turns;
  },
): Promise<number[]> {
  const { offset, limit, descending, values, texts, turns } = options;
  const wanted = Math.min(rows, offset + limit);
  const collator = texts && new Intl.Collator('en', { numeric: true });
  const sign = descending ? -1 : 1;
  /** Below zero if `one` comes first. */
  const compare = (one: number, other: number): number => {
    const difference = collator
      ? collator.compare(texts?.[one] ?? '', texts?.[other] ?? '')
      : numberOrder(values?.[one] ?? 0, values?.[other] ?? 0);
    return difference === 0 ? one - other : sign * difference;
  };
  /** A heap whose root is the last of the best rows so far. */
  const heap: number[] = [];
  for (let row = 0; row < rows && wanted > 0; row++) {
    if (row % comparedAtOnce === 0) await turns.next();
    if (heap.length < wanted) {
      heap.push(row);
      siftUp(heap, compare);
    } else if (compare(row, heap[0] as number) < 0) {
      heap[0] = row;
      siftDown(heap, compare);
    }
  }
  // The heap yields its rows from the last one on, so only the page has to be put in order.
  const page: number[] = [];
  while (heap.length > offset) {
    page.push(heap[0] as number);
    const last = heap.pop() as number;
    if (heap.length === 0) break;
    heap[0] = last;
    siftDown(heap, compare);
  }
  return page.reverse();
}

function numberOrder(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function siftUp(heap: number[], compare: (one: number, other: number) => number): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (compare(heap[at] as number, heap[parent] as number) <= 0) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function siftDown(heap: number[], compare: (one: number, other: number) => number): void {
  for (let at = 0; ; ) {
    let last = at;
    for (const child of [2 * at + 1, 2 * at + 2])
      if (child < heap.length && compare(heap[child] as number, heap[last] as number) > 0) last = child;
    if (last === at) return;
    swap(heap, at, last);
    at = last;
  }
}

function swap(heap: number[], one: number, other: number): void {
  const kept = heap[one] as number;
  heap[one] = heap[other] as number;
  heap[other] = kept;
}
