import { type Line, mostColumns, mostRows, type Page, type Paragraph, type Region } from '../page/page.ts';

/** Plain text with the line breaks and hyphens of the page, an empty line between paragraphs, and a line for each row of a table. */
export function toText(page: Page): string {
  const paragraphs = page.regions.flatMap(regionTexts).filter((text) => text !== '');
  return paragraphs.length === 0 ? '' : `${paragraphs.join('\n\n')}\n`;
}

function regionTexts(region: Region): string[] {
  const rows = tableRows(region);
  if (!rows) return region.paragraphs.map(paragraphText);
  const lines = rows.map((cells) => cells.filter((text) => text !== '').join(' '));
  return [lines.filter((text) => text !== '').join('\n')];
}

/**
 * Texts of a table's cells, row by row, padded to equal length; undefined if the region has no cells. A cell that spans several rows
 * or columns has its text in the first.
 */
export function tableRows({ kind, paragraphs }: Region): string[][] | undefined {
  const cells = paragraphs.flatMap(({ cell, lines }) => (cell ? [{ ...cell, lines }] : []));
  if (kind !== 'table' || cells.length === 0 || cells.length < paragraphs.length) return undefined;
  const height = Math.max(...cells.map(({ row, rowSpan = 1 }) => row + rowSpan));
  const width = Math.max(...cells.map(({ column, columnSpan = 1 }) => column + columnSpan));
  const rows = Array.from({ length: Math.min(mostRows, height) }, () =>
    Array.from({ length: Math.min(mostColumns, width) }, () => ''),
  );
  for (const { row, column, lines } of cells) {
    const texts = rows[row];
    if (texts) texts[column] = [texts[column], ...lines.map(lineText)].filter(Boolean).join(' ');
  }
  return rows;
}

export function paragraphText(paragraph: Paragraph): string {
  return paragraph.lines
    .map(lineText)
    .filter((text) => text !== '')
    .join('\n');
}

export function lineText(line: Line): string {
  return line.words
    .map((word) => wordText(word.text))
    .filter((text) => text !== '')
    .join(' ');
}

/** Removes line breaks, control characters and outer spaces from a word. */
export function wordText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}
