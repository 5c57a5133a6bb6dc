import { displayWidth, fit, printable } from './printable.ts';

export interface Column<Row> {
  title: string;
  of(row: Row): string | number | null | undefined;
  /** Numbers are right-aligned by default. */
  align?: 'left' | 'right';
}

const gap = '  ';
/** Minimum width of a column: a table that is too wide is better than an empty one. */
const narrowest = 8;

/** Lines of an aligned table, at most `width` columns wide if possible. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const cells = rows.map((row) => columns.map((column) => textOf(column.of(row))));
  const titles = columns.map((column) => column.title.toUpperCase());
  const natural = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => displayWidth(line[index] ?? ''))),
  );
  const widths = shrink(natural, width - gap.length * (columns.length - 1));
  const right = columns.map(
    (column) => (column.align ?? (isNumeric(rows.map(column.of)) ? 'right' : 'left')) === 'right',
  );
  return [titles, ...cells].map((line) =>
    line
      .map((text, index) => pad(fit(text, widths[index] ?? 0), widths[index] ?? 0, right[index] ?? false))
      .join(gap)
      .trimEnd(),
  );
}

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : printable(String(value));
}

function isNumeric(values: readonly unknown[]): boolean {
  return (
    values.some((value) => typeof value === 'number') && values.every((value) => typeof value !== 'string')
  );
}

/** Shrinks the widest column repeatedly until all fit or all have the minimum width. */
function shrink(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    const widest = Math.max(...widths);
    if (excess <= 0 || widest <= narrowest || widths.length === 0) return widths;
    const index = widths.indexOf(widest);
    const second = Math.max(narrowest, ...widths.filter((_, other) => other !== index));
    widths[index] = Math.max(narrowest, Math.min(widest - 1, Math.max(second, widest - excess)));
  }
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return right ? space + text : text + space;
}
