import type { Word } from '../../page/page.ts';
import type { Cells } from './cells.ts';
import type { Grid } from './grids.ts';
import type { Rule } from './rules-in-image.ts';

/** A cell of a table, and the rows and columns it spans. */
export interface Span {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  words: Word[];
}

/** A rule that covers less than this share of a cell's side is missing there. */
const mostlyMissing = 0.3;
/** In line heights: words this far apart across an edge are in two cells, with or without a rule. */
const apart = 1.2;

/**
 * Joins cells where the rule that divides others is missing. Edges without any rule join nothing, because many tables have no rules
 * between rows.
 */
export function joinCells(grid: Grid, cells: Cells, line: number): Span[] {
  const { columns, rows, level = [], upright = [] } = grid;
  const width = columns.length - 1;
  const parents = Array.from({ length: width * (rows.length - 1) }, (_, at) => at);
  const rootOf = (at: number): number => (parents[at] === at ? at : rootOf(parents[at] as number));
  const join = (one: number, other: number) => {
    const [older, younger] = [rootOf(one), rootOf(other)].toSorted((a, b) => a - b) as [number, number];
    parents[younger] = older;
  };
  for (const [row, across] of cells.entries()) {
    for (const [column, words] of across.entries()) {
      const at = row * width + column;
      const [right, below] = [across[column + 1], cells[row + 1]?.[column]];
      const [top, bottom] = [rows[row] ?? 0, rows[row + 1] ?? 0];
      const [left, end] = [columns[column] ?? 0, columns[column + 1] ?? 0];
      if (right && isMissing(upright, end, top, bottom, line) && !areApart(words, right, line))
        join(at, at + 1);
      if (below && isMissing(level, bottom, left, end, line)) join(at, at + width);
    }
  }
  const groups = Map.groupBy(parents.keys(), rootOf);
  return [...groups.values()].flatMap((members) => asSpans(members, cells, width));
}

/** Whether an edge is a printed rule elsewhere, but not here. */
function isMissing(rules: readonly Rule[], edge: number, from: number, to: number, line: number): boolean {
  const own = rules.filter(({ at }) => Math.abs(at - edge) <= line);
  const covered = own.reduce(
    (sum, rule) => sum + Math.max(0, Math.min(rule.to, to) - Math.max(rule.from, from)),
    0,
  );
  return own.length > 0 && covered < mostlyMissing * (to - from);
}

function areApart(words: readonly Word[], others: readonly Word[], line: number): boolean {
  if (words.length === 0 || others.length === 0) return false;
  const end = Math.max(...words.map(({ box }) => box.left + box.width));
  return Math.min(...others.map(({ box }) => box.left)) - end >= apart * line;
}

/** One cell if the members form a rectangle; otherwise single cells. */
function asSpans(members: readonly number[], cells: Cells, width: number): Span[] {
  const places = members.map((at) => ({ row: Math.floor(at / width), column: at % width }));
  const [rows, columns] = [places.map(({ row }) => row), places.map(({ column }) => column)];
  const [row, column] = [Math.min(...rows), Math.min(...columns)];
  const [rowSpan, columnSpan] = [Math.max(...rows) - row + 1, Math.max(...columns) - column + 1];
  const wordsAt = (place: { row: number; column: number }) => cells[place.row]?.[place.column] ?? [];
  if (rowSpan * columnSpan === members.length)
    return [{ row, column, rowSpan, columnSpan, words: places.flatMap(wordsAt) }];
  return places.map((place) => ({ ...place, rowSpan: 1, columnSpan: 1, words: wordsAt(place) }));
}
