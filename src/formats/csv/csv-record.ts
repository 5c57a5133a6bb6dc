/**
 * Limits on CSV of other people: more columns than any table of ours, and records (in characters) longer than any of its rows. A file
 * may have any length, because it is read piece by piece.
 */
export const csvLimits = { columns: 1000, record: 1 << 20 } as const;

/**
 * A record and where the next one begins. `open`: the text ends within quotes. `broken`: something follows a closing quote. A record
 * with too many columns has one more than the limit, and the rest of it is not read.
 */
export type CsvRecord = { fields: string[]; next: number } | 'open' | 'broken';

/**
 * The record that begins at `from` (RFC 4180): fields may be quoted, with quotes doubled inside, and then contain line breaks. The
 * end of the text ends a record too. Most lines have no quote, and `split` reads those several times faster than a loop.
 */
export function readRecord(text: string, from: number, delimiter = ','): CsvRecord {
  const found = text.indexOf('\n', from);
  const end = found < 0 ? text.length : found;
  const line = text.slice(from, end > from && text[end - 1] === '\r' ? end - 1 : end);
  if (line.includes('"')) return readQuoted(text, from, delimiter);
  return { fields: line.split(delimiter, csvLimits.columns + 1), next: end + 1 };
}

function readQuoted(text: string, from: number, delimiter: string): CsvRecord {
  const fields: string[] = [];
  for (let at = from; ; at += 1) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? afterQuotes(text, at) : endOfField(text, at, delimiter);
    if (end < 0) return 'open';
    const isLastInLine = text[end] === '\n' || end >= text.length;
    if (isQuoted) fields.push(text.slice(at + 1, end - 1).replaceAll('""', '"'));
    else fields.push(text.slice(at, isLastInLine && end > at && text[end - 1] === '\r' ? end - 1 : end));
    at = isQuoted && text[end] === '\r' ? end + 1 : end;
    if (at >= text.length || text[at] === '\n' || fields.length > csvLimits.columns)
      return { fields, next: at + 1 };
    if (text[at] !== delimiter) return 'broken';
  }
}

function endOfField(text: string, from: number, delimiter: string): number {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
  return end;
}

/** The position after the closing quote; -1 if there is none. */
function afterQuotes(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at + 1;
  return -1;
}
