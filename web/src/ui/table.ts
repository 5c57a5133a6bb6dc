import type { Snippet } from 'svelte';

/** A column. Without `cell` it shows `text`. The first column is the link of the row. */
export interface Column<Row> {
  key: string;
  title: string;
  text?: (row: Row) => string;
  cell?: Snippet<[Row]>;
  /** A number: right aligned, its unit in the title. */
  number?: boolean;
  /** The server sorts by this name. */
  sort?: string;
  /** As CSS: `120px`, `20%`. */
  width?: string;
  /** Left out on phones. */
  wideOnly?: boolean;
}

/** What is drawn of a long list: the rows in sight and some around them. */
export function windowOf(parts: {
  top: number;
  height: number;
  rowHeight: number;
  total: number;
  around?: number;
}): { first: number; last: number } {
  const { top, height, rowHeight, total, around = 8 } = parts;
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - around, total));
  const last = Math.min(total, Math.ceil((top + height) / rowHeight) + around);
  return { first, last: Math.max(first, last) };
}

/** The blocks of a list that hold these rows: the server is asked for whole blocks, so that scrolling asks rarely. */
export function blocksOf(first: number, last: number, size: number): number[] {
  if (last <= first) return [];
  const from = Math.floor(first / size);
  return Array.from({ length: Math.floor((last - 1) / size) - from + 1 }, (_, index) => from + index);
}
