import { mostColumns, type Word } from '../../page/page.ts';
import type { Grid } from './grids.ts';
import { type VisualRow, visualRows } from './visual-rows.ts';

/** Minimum rows and columns of a table without rules. Most columns after the first must be numeric, unlike those of plain text. */
const fewestRows = 4;
const fewestColumns = 3;
/** In heights of a line: gaps between words are narrower. */
const narrowestGap = 1.2;
const widestPitch = 3.5;
const mostRows = 400;
const isFilled = 0.5;
const isNumeric = 0.6;
/** Maximum words in the median cell. */
const mostWords = 2;

/** Finds areas in which words stand in rows and columns, most of them numeric. */
export function findAligned(words: readonly Word[], line: number): Grid[] {
  const rows = visualRows(words, line);
  if (rows.length > mostRows) return [];
  const found: Grid[] = [];
  for (let start = 0; start < rows.length; ) {
    const { end, columns } = longest(rows, start, line);
    const part = rows.slice(start, end);
    if (part.length >= fewestRows && isTable(part, columns)) {
      found.push(gridOf(part, columns));
      start = end;
    } else start++;
  }
  return found;
}

interface Span {
  from: number;
  to: number;
}

/** The longest run of rows from here that keeps three columns apart. */
function longest(rows: readonly VisualRow[], start: number, line: number): { end: number; columns: Span[] } {
  let columns: Span[] = [];
  let end = start;
  for (; end < rows.length; end++) {
    const row = rows[end] as VisualRow;
    const before = rows[end - 1];
    if (end > start && before && row.middle - before.middle > widestPitch * line) break;
    const spans = row.words.map(({ box }) => ({ from: box.left, to: box.left + box.width }));
    const all = merged([...columns, ...spans], narrowestGap * line);
    if (all.length < fewestColumns) break;
    columns = all;
  }
  return { end, columns };
}

function merged(spans: readonly Span[], gap: number): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last && span.from - last.to < gap) last.to = Math.max(last.to, span.to);
    else all.push({ ...span });
  }
  return all;
}

function isTable(rows: readonly VisualRow[], columns: readonly Span[]): boolean {
  const cells = columns.map(({ from, to }) =>
    rows
      .map(({ words }) => words.filter(({ box }) => box.left >= from && box.left + box.width <= to))
      .filter((cell) => cell.length > 0),
  );
  if (cells.some((column) => column.length < isFilled * rows.length)) return false;
  const counts = cells.flat().map(({ length }) => length);
  if ((counts.toSorted((one, other) => one - other)[counts.length >> 1] ?? 0) > mostWords) return false;
  const numeric = cells.slice(1).filter((column) => {
    const figures = column.filter((cell) => cell.some(({ text }) => /\d/.test(text)));
    return figures.length >= isNumeric * column.length;
  });
  return columns.length <= mostColumns && numeric.length >= Math.max(1, (columns.length - 1) / 2);
}

/** Edges halfway between columns and rows. */
function gridOf(rows: readonly VisualRow[], columns: readonly Span[]): Grid {
  const boxes = rows.flatMap(({ words }) => words.map(({ box }) => box));
  const between = (one: number, other: number) => (one + other) / 2;
  return {
    columns: [
      (columns[0]?.from ?? 0) - 1,
      ...columns.slice(1).map(({ from }, index) => between(columns[index]?.to ?? from, from)),
      (columns.at(-1)?.to ?? 0) + 1,
    ],
    rows: [
      Math.min(...boxes.map(({ top }) => top)) - 1,
      ...rows.slice(1).map(({ middle }, index) => between(rows[index]?.middle ?? middle, middle)),
      Math.max(...boxes.map(({ top, height }) => top + height)) + 1,
    ],
  };
}
