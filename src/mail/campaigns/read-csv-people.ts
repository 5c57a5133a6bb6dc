import { PismakError } from '../../engine/ground/errors.ts';
import { readCsv } from '../../formats/csv/read-csv.ts';

/** People of a CSV file, in groups. The first record names the columns; one of them is `email`. */
export async function* readCsvPeople(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, string>[]> {
  let columns: string[] | undefined;
  for await (const records of readCsv(chunks)) {
    const people: Record<string, string>[] = [];
    for (const record of records) {
      if (columns) people.push(named(columns, record));
      else columns = columnsOf(record);
    }
    if (people.length > 0) yield people;
  }
}

/** Refuses a file without a column `email`. `Email` counts as `email`. */
function columnsOf(record: readonly string[]): string[] {
  const columns = record.map((name) => (/^e-?mail$/i.test(name.trim()) ? 'email' : name.trim()));
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
