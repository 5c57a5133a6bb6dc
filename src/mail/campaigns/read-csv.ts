import { PismakError } from '../../engine/errors.ts';

const longestField = 256 * 1024;
const mostColumns = 200;

/**
 * Reads CSV (RFC 4180), whatever its size: the records of a chunk at a time, because awaiting each would cost more than reading
 * it. The first record names the columns; `,` `;` or a tab divides.
 */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, string>[]> {
  let columns: string[] | undefined;
  for await (const records of recordsOf(chunks)) {
    const people: Record<string, string>[] = [];
    for (const record of records) {
      if (record.length === 1 && record[0] === '') continue;
      if (columns) people.push(named(columns, record));
      else columns = columnsOf(record);
    }
    if (people.length > 0) yield people;
  }
}

/** Refuses a file without addresses, however many records it has. `Email` is `email`. */
function columnsOf(record: readonly string[]): string[] {
  const columns = record.map((name) => (/^\s*e-?mail\s*$/i.test(name) ? 'email' : name.trim()));
  if (columns.indexOf('email') !== columns.lastIndexOf('email'))
    throw new PismakError('invalid-input', 'the audience has two columns email: rename or remove one');
  if (columns.includes('email')) return columns;
  throw new PismakError('invalid-input', `the audience has no column email; it has ${shown(columns)}`);
}

function shown(columns: readonly string[]): string {
  const names = columns.slice(0, 20).join(', ');
  return names.length > 300 ? `${names.slice(0, 300)}...` : names;
}

function named(columns: readonly string[], record: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((name, index) => [name, record[index] ?? '']));
}

async function* recordsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let delimiter: string | undefined;
  let rest = '';
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (error) {
      throw new PismakError('invalid-input', 'the audience is not UTF-8: save the file in that encoding', {
        cause: error,
      });
    }
  };
  const keep = (text: string) => {
    if (text.length > longestField * 4)
      throw new PismakError('invalid-input', 'a record of the CSV file is too long; is a quote missing?');
    rest = text;
  };
  const cut = (text: string, isEnd: boolean): string[][] => {
    delimiter ??= guessDelimiter(text);
    const found: string[][] = [];
    let at = 0;
    for (;;) {
      const read = readRecord(text, at, delimiter, isEnd);
      if (!read) break;
      found.push(read.record);
      at = read.next;
    }
    keep(text.slice(at));
    return found;
  };
  for await (const chunk of chunks) {
    const text = rest + decode(chunk);
    // The head line decides about the delimiter, so it must be whole.
    if (delimiter === undefined && !text.includes('\n')) keep(text);
    else yield cut(text, false);
  }
  const last = rest + decode();
  if (last !== '') yield cut(last, true);
}

function guessDelimiter(text: string): string {
  const head = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  const counts = [',', ';', '\t'].map((one) => ({ one, count: head.split(one).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.one ?? ',';
}

/** The record that begins at `at`, or undefined if it is not complete yet. */
function readRecord(
  text: string,
  at: number,
  delimiter: string,
  isEnd: boolean,
): { record: string[]; next: number } | undefined {
  if (at >= text.length) return undefined;
  const record: string[] = [];
  let from = at;
  for (;;) {
    if (record.length > mostColumns)
      throw new PismakError('invalid-input', `a record of the CSV file has over ${mostColumns} columns`);
    let value: string;
    if (text[from] === '"') {
      let end = from + 1;
      for (;;) {
        end = text.indexOf('"', end);
        if (end < 0) {
          // Taken for the end of the file, it would swallow all people behind it.
          if (isEnd) throw new PismakError('invalid-input', 'a quote of the CSV file is never closed');
          return undefined;
        }
        if (text[end + 1] !== '"') break;
        end += 2;
      }
      // Whether the quote is doubled is known only with the character behind it.
      if (end + 1 >= text.length && !isEnd) return undefined;
      value = text.slice(from + 1, end).replaceAll('""', '"');
      from = end + 1;
    } else {
      let end = from;
      while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++;
      if (end >= text.length && !isEnd) return undefined;
      value = text.slice(
        from,
        text[end - 1] === '\r' && (text[end] === '\n' || end >= text.length) && end > from ? end - 1 : end,
      );
      from = end;
    }
    record.push(value);
    if (text[from] === '\r') from++;
    if (from >= text.length) return isEnd ? { record, next: text.length } : undefined;
    if (text[from] === '\n') return { record, next: from + 1 };
    if (text[from] !== delimiter)
      throw new PismakError('invalid-input', 'a quoted field of the CSV file goes on behind its quote');
    from++;
  }
}
