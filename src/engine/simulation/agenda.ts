/** Future entries, earliest first; at the same moment by `rank`, then in the order added. A binary heap. */
export class Agenda<T> {
  readonly #heap: { at: number; rank: number; order: number; what: T }[] = [];
  #added = 0;

  add(at: number, rank: number, what: T): void {
    const heap = this.#heap;
    const entry = { at, rank, order: this.#added++, what };
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  next(): { at: number; what: T } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      const right = heap[child + 1];
      if (left && right && isBefore(right, left)) child++;
      const least = heap[child];
      if (!least || !isBefore(least, last)) break;
      heap[index] = least;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

interface Entry {
  at: number;
  rank: number;
  order: number;
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at !== b.at ? a.at < b.at : a.rank !== b.rank ? a.rank < b.rank : a.order < b.order;
}
