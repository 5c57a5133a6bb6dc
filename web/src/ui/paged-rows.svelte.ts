import { untrack } from 'svelte';
import type { CallError } from '../api/call-error.ts';
import { onChange } from '../api/changes.svelte.ts';
import { asCallError } from '../api/resource.svelte.ts';
import { blocksOf } from './table.ts';

export interface RowsPage<Row> {
  rows: readonly Row[];
  total: number;
}

const blockSize = 100;

/** A list of the server, of which only the blocks in sight are read. */
export class PagedRows<Row> {
  total = $state<number>();
  error = $state.raw<CallError>();
  #blocks = $state.raw<ReadonlyMap<number, readonly Row[]>>(new Map());
  #pending = new Set<number>();
  #seen: readonly number[] = [0];
  #round = 0;
  readonly #read: (offset: number, limit: number, signal: AbortSignal) => Promise<RowsPage<Row>>;
  #controller = new AbortController();

  constructor(read: (offset: number, limit: number, signal: AbortSignal) => Promise<RowsPage<Row>>) {
    this.#read = read;
  }

  at(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / blockSize))?.[index % blockSize];
  }

  /** All rows that were read. */
  get loaded(): readonly Row[] {
    return [...this.#blocks.values()].flat();
  }

  show(first: number, last: number): void {
    this.#seen = blocksOf(first, last, blockSize);
    for (const block of this.#seen) if (!this.#blocks.has(block)) void this.#load(block);
  }

  /** Reads what is in sight again; what is known stays meanwhile. `empty`: it is another list, so nothing stays. */
  again({ empty = false } = {}): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#pending.clear();
    this.#round++;
    // An effect that calls this depends on what is read, not on what is known.
    untrack(() => {
      if (empty) {
        this.#blocks = new Map();
        this.total = undefined;
        this.#seen = [0];
      }
      this.#keepOnly(this.#seen);
    });
    for (const block of this.#seen.length > 0 ? this.#seen : [0]) void this.#load(block);
  }

  async #load(block: number): Promise<void> {
    if (this.#pending.has(block)) return;
    this.#pending.add(block);
    const round = this.#round;
    try {
      const { rows, total } = await this.#read(block * blockSize, blockSize, this.#controller.signal);
      if (round !== this.#round) return;
      this.#blocks = new Map(this.#blocks).set(block, rows);
      this.total = total;
      this.error = undefined;
    } catch (error) {
      if (round === this.#round) this.error = asCallError(error);
    } finally {
      if (round === this.#round) this.#pending.delete(block);
    }
  }

  #keepOnly(blocks: readonly number[]): void {
    this.#blocks = new Map([...this.#blocks].filter(([block]) => blocks.includes(block)));
  }
}

/**
 * `const documents = pagedRows((offset, limit, signal) => call('document.ls', { offset, limit, sort }, { signal }).then(...), { on: 'document' })`:
 * read by blocks as one scrolls, again when a rune changes that `read` uses, and when a change of these kinds comes.
 */
export function pagedRows<Row>(
  read: (offset: number, limit: number, signal: AbortSignal) => Promise<RowsPage<Row>>,
  { on = [] }: { on?: string | readonly string[] } = {},
): PagedRows<Row> {
  const rows = new PagedRows(read);
  $effect(() => {
    // Only to learn which runes the first block depends on: then the whole list is another one.
    rows.again({ empty: untrack(() => rows.total) !== undefined });
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  $effect(() => {
    const end = onChange(on, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        rows.again();
      }, 250);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  });
  return rows;
}
