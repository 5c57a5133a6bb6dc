import { boxAround } from '../../image/box.ts';
import type { Line, Paragraph, Region, Word } from '../../page/page.ts';
import type { Grid } from './grids.ts';
import { joinCells } from './spans.ts';
import { middleOf, type VisualRow, visualRows } from './visual-rows.ts';

/** Words in the cells of a grid, by row and column. */
export type Cells = Word[][][];

/** Tesseract reads rules as these. */
const looksLikeRule = /^[|¦[\]_—–=]+$/;

export function isWithin({ columns, rows }: Grid, word: Word): boolean {
  const [x, y] = [centreOf(word), middleOf(word)];
  return x > (columns[0] ?? 0) && x < (columns.at(-1) ?? 0) && y > (rows[0] ?? 0) && y < (rows.at(-1) ?? 0);
}

export function inCells({ columns, rows }: Grid, words: readonly Word[]): Cells {
  const cells: Cells = rows.slice(1).map(() => columns.slice(1).map(() => []));
  for (const word of words) {
    if (looksLikeRule.test(word.text)) continue;
    const [row, column] = [stepOf(rows, middleOf(word)), stepOf(columns, centreOf(word))];
    cells[row]?.[column]?.push(word);
  }
  return cells;
}

/**
 * Divides rows that no rules separate: many tables have a rule below the header and none between rows. A row between two rules is
 * divided if most words side by side in it are level.
 */
export function divideRows(grid: Grid, words: readonly Word[], line: number): Grid {
  const isFramed = grid.rows.length > 3;
  const rows = grid.rows.slice(0, -1).flatMap((top, index) => {
    const bottom = grid.rows[index + 1] ?? top;
    const inside = words.filter((word) => middleOf(word) > top && middleOf(word) < bottom);
    const lines = visualRows(inside, line);
    // With rules between rows, two lines in a row are two lines of its cells.
    if (lines.length < (isFramed ? 4 : 2) || !standSideBySide(lines, grid.columns)) return [top];
    return [top, ...lines.slice(1).map(({ middle }, at) => (middle + (lines[at] as VisualRow).middle) / 2)];
  });
  return { ...grid, rows: [...rows, grid.rows.at(-1) ?? 0] };
}

const mostlyFilled = 0.6;
/** Maximum words in the median cell; lines of text side by side have more. */
const mostWords = 3;

function standSideBySide(lines: readonly VisualRow[], columns: readonly number[]): boolean {
  const counts = lines.flatMap(({ words }) =>
    [...Map.groupBy(words, (word) => stepOf(columns, centreOf(word))).values()].map(({ length }) => length),
  );
  const middle = counts.toSorted((one, other) => one - other)[counts.length >> 1] ?? 0;
  return middle <= mostWords && counts.length >= mostlyFilled * lines.length * (columns.length - 1);
}

/** The table as a region: cells row by row, without empty ones. */
export function toRegion(grid: Grid, cells: Cells, line: number): Region {
  const paragraphs = joinCells(grid, cells, line).flatMap(
    ({ words, row, column, rowSpan, columnSpan }): Paragraph[] => {
      if (words.length === 0) return [];
      const lines = visualRows(words, line).map(
        (one): Line => ({ box: boxAround(one.words.map(({ box }) => box)), words: one.words }),
      );
      const box = boxAround(lines.map((one) => one.box));
      const size = { ...(rowSpan > 1 && { rowSpan }), ...(columnSpan > 1 && { columnSpan }) };
      return [{ box, lines, cell: { row, column, ...size } }];
    },
  );
  paragraphs.sort(({ cell: one }, { cell: other }) =>
    one && other ? one.row - other.row || one.column - other.column : 0,
  );
  const [left, top] = [grid.columns[0] ?? 0, grid.rows[0] ?? 0].map((edge) => Math.max(0, Math.round(edge)));
  const [right, bottom] = [grid.columns.at(-1) ?? 0, grid.rows.at(-1) ?? 0].map(Math.round);
  const frame = {
    left: left ?? 0,
    top: top ?? 0,
    width: (right ?? 0) - (left ?? 0),
    height: (bottom ?? 0) - (top ?? 0),
  };
  return { kind: 'table', box: boxAround([frame, ...paragraphs.map(({ box }) => box)]), paragraphs };
}

function stepOf(edges: readonly number[], place: number): number {
  return edges.findLastIndex((edge) => edge <= place);
}

function centreOf({ box }: Word): number {
  return box.left + box.width / 2;
}
