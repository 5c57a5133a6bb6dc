import { boxAround } from '../../image/box.ts';
import type { Grey } from '../../image/grey.ts';
import { type Line, mostColumns, mostRows, type Page, type Region, type Word } from '../../page/page.ts';
import { findAligned } from './aligned.ts';
import { type Cells, divideRows, inCells, isWithin, toRegion } from './cells.ts';
import { findGrids, type Grid } from './grids.ts';
import { findPrintedRules } from './rules-in-image.ts';

/** Minimum cells with text, and maximum words and lines of a cell; text in columns has more. */
const fewestCells = 4;
const mostWords = 12;
const mostLines = 8;
const fewestRows = 2;
const fewestRules = 3;
/** One word in twenty may be higher than this many medians. Framed advertisements mix larger type. */
const mostHeights = 2;

/**
 * Finds tables between printed rules, or in rows and columns of figures, so that they are read row by row. Needs strong evidence:
 * text in columns between rules is not a table. May change the page.
 */
export function findTables(image: Grey, page: Page): Page {
  const words = wordsOf(page.regions);
  const line = median(words.map(({ box }) => box.height));
  if (words.length < fewestCells || line < 4) return page;
  const ruled = gridsOf(image, page, line)
    .map((grid) =>
      divideRows(
        grid,
        words.filter((word) => isWithin(grid, word)),
        line,
      ),
    )
    .filter((grid) => isTable(cellsOf(grid, words)));
  const tables = [...withoutOverlaps(ruled)];
  const others = words.filter((word) => !tables.some((grid) => isWithin(grid, word)));
  tables.push(...findAligned(others, line));
  for (const region of page.regions) {
    const own = wordsOf([region]).filter((word) => !tables.some((grid) => isWithin(grid, word)));
    tables.push(...findAligned(own, line));
  }
  return tables.reduce((now, grid) => withTable(now, grid, line), page);
}

/** Searching for rules takes time, so only if the recogniser saw at least three. */
function gridsOf(image: Grey, { regions }: Page, line: number): Grid[] {
  const seen = regions.filter(({ kind }) => kind === 'separator').length;
  return seen < fewestRules ? [] : findGrids(findPrintedRules(image, line), line);
}

function cellsOf(grid: Grid, words: readonly Word[]): Cells {
  return inCells(
    grid,
    words.filter((word) => isWithin(grid, word)),
  );
}

function isTable(cells: Cells): boolean {
  const filled = cells.flat().filter((cell) => cell.length > 0);
  const rows = cells.filter((row) => row.filter((cell) => cell.length > 0).length >= 2);
  if (filled.length < fewestCells || rows.length < fewestRows) return false;
  if (cells.length > mostRows || (cells[0]?.length ?? 0) > mostColumns) return false;
  const heights = filled.flat().map(({ box }) => box.height);
  const line = median(heights);
  if (at(heights, 0.95) > mostHeights * line) return false;
  const lines = filled.map((cell) => boxAround(cell.map(({ box }) => box)).height / line);
  return median(filled.map(({ length }) => length)) <= mostWords && Math.max(...lines) <= mostLines * 1.5;
}

/** Keeps the largest of overlapping grids. */
function withoutOverlaps(grids: readonly Grid[]): Grid[] {
  const kept: Grid[] = [];
  for (const grid of grids.toSorted((one, other) => area(other) - area(one)))
    if (!kept.some((one) => overlap(one, grid))) kept.push(grid);
  return kept;
}

function area({ columns, rows }: Grid): number {
  return ((columns.at(-1) ?? 0) - (columns[0] ?? 0)) * ((rows.at(-1) ?? 0) - (rows[0] ?? 0));
}

function overlap(one: Grid, other: Grid): boolean {
  const shared = (mine: readonly number[], others: readonly number[]) =>
    Math.min(mine.at(-1) ?? 0, others.at(-1) ?? 0) > Math.max(mine[0] ?? 0, others[0] ?? 0);
  return shared(one.columns, other.columns) && shared(one.rows, other.rows);
}

/** Moves the words of a table out of their blocks. The table takes the place of the first such block, between its lines above and below. */
function withTable(page: Page, grid: Grid, line: number): Page {
  const inside = new Set(wordsOf(page.regions).filter((word) => isWithin(grid, word)));
  if (inside.size === 0) return page;
  const table = toRegion(grid, inCells(grid, [...inside]), line);
  const regions: Region[] = [];
  for (const region of page.regions) {
    const own = wordsOf([region]);
    const hasTable = own.some((word) => inside.has(word));
    if (!hasTable) {
      regions.push(region);
      continue;
    }
    const isAbove = ({ box }: Line) => box.top + box.height / 2 < table.box.top;
    const above = rest(region, inside, isAbove);
    if (above) regions.push(above);
    if (!regions.includes(table)) regions.push(table);
    const others = rest(region, inside, (one) => !isAbove(one));
    if (others) regions.push(others);
  }
  return { ...page, regions };
}

/** The wanted lines of a region, without the words that were taken. */
function rest(
  region: Region,
  taken: ReadonlySet<Word>,
  isWanted: (line: Line) => boolean,
): Region | undefined {
  const paragraphs = region.paragraphs.flatMap((paragraph) => {
    const lines = paragraph.lines.filter(isWanted).flatMap((line) => {
      const words = line.words.filter((word) => !taken.has(word));
      if (words.length === line.words.length) return [line];
      return words.length === 0 ? [] : [{ words, box: boxAround(words.map(({ box }) => box)) }];
    });
    return lines.length === 0 ? [] : [{ ...paragraph, lines, box: boxAround(lines.map(({ box }) => box)) }];
  });
  return paragraphs.length === 0
    ? undefined
    : { ...region, paragraphs, box: boxAround(paragraphs.map(({ box }) => box)) };
}

function wordsOf(regions: readonly Region[]): Word[] {
  return regions
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ lines }) => lines)
    .flatMap(({ words }) => words);
}

function median(values: readonly number[]): number {
  return at(values, 0.5);
}

/** The quantile of this share. */
function at(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}
