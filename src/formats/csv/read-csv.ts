import { PismakError } from '../../engine/ground/errors.ts';
import { csvLimits, readRecord } from './csv-record.ts';

/**
 * Reads CSV in UTF-8 of any size in constant memory, and yields the records of a chunk together, because awaiting each would cost
 * more than reading it. The first line decides whether `,` `;` or a tab separates fields. Empty lines are skipped. A file that is
 * not CSV, or exceeds the limits, is `invalid-input`.
 */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  // It removes a byte order mark.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let delimiter: string | undefined;
  /** Begins with an incomplete record. */
  let rest = '';
  let arrived = '';
  for await (const chunk of chunks) {
    arrived += decode(decoder, chunk);
    // Reading a long record again with every small piece would take quadratic time.
    if (arrived.length < rest.length && rest.length + arrived.length <= csvLimits.record) continue;
    const text = rest + arrived;
    arrived = '';
    // The first line decides on the delimiter, so it must be complete.
    if (delimiter === undefined && !text.includes('\n')) rest = withinLimit(text);
    else {
      delimiter ??= guessDelimiter(text);
      const { records, next } = cutRecords(text, delimiter, false);
      rest = withinLimit(text.slice(next));
      if (records.length > 0) yield records;
    }
  }
  const last = rest + arrived + decode(decoder);
  if (last !== '') yield cutRecords(last, delimiter ?? guessDelimiter(last), true).records;
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch (cause) {
    throw new PismakError('invalid-input', 'the CSV file is not UTF-8: save it in that encoding', { cause });
  }
}

function withinLimit(record: string): string {
  if (record.length <= csvLimits.record) return record;
  throw invalid('a record of the CSV file is too long; is a quote missing?');
}

/** The complete records of a text, and where the incomplete one begins. With `isEnd`, nothing follows the text. */
function cutRecords(text: string, delimiter: string, isEnd: boolean): { records: string[][]; next: number } {
  const records: string[][] = [];
  let next = 0;
  while (next < text.length) {
    const record = readRecord(text, next, delimiter);
    const isCut = record === 'open' || (record !== 'broken' && record.next > text.length);
    // Whether a quote at the very end is doubled is known only with the next character.
    if (isCut && !isEnd) break;
    // Taken for the end of the file, it would swallow all records after it.
    if (record === 'open') throw invalid('a quote in the CSV file is never closed');
    if (record === 'broken') throw invalid('text follows the closing quote of a field in the CSV file');
    if (record.fields.length > csvLimits.columns)
      throw invalid(`a record of the CSV file has more than ${csvLimits.columns} columns`);
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record.fields);
    next = record.next;
  }
  return { records, next };
}

function guessDelimiter(text: string): string {
  const end = text.indexOf('\n');
  const head = end < 0 ? text : text.slice(0, end);
  const counts = [',', ';', '\t'].map((one) => ({ one, count: head.split(one).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.one ?? ',';
}

function invalid(message: string): PismakError {
  return new PismakError('invalid-input', message);
}
