import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { mailSection } from '../settings/settings.ts';
import type { AudienceSource } from './campaign.ts';
import { readCsvPeople } from './read-csv-people.ts';

/** A person of an audience: `email`, and the other columns of the source. */
export type Person = Record<string, unknown>;

const peopleAtOnce = 500;
const longestLine = 1024 * 1024;

/** Streams a source from the beginning in groups of people, in constant memory. */
export async function* readAudience(
  { blobs, settings }: Pick<Engine, 'blobs' | 'settings'>,
  source: AudienceSource,
): AsyncGenerator<Person[]> {
  if ('table' in source) {
    const { readTable } = await import('./read-table.ts');
    const query = sectionOf(settings, mailSection).audiences[source.table];
    if (!query) throw new PismakError('invalid-input', `the settings have no mail.audiences.${source.table}`);
    return yield* inGroups(readTable(query));
  }
  const { blob, format } = source;
  if (format === 'csv') return yield* readCsvPeople(blobs.get(blob));
  yield* inGroups(readLines(blobs.get(blob)));
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Person> {
  // Removes a byte order mark.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let rest = '';
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (error) {
      throw new PismakError(
        'invalid-input',
        `the audience is not UTF-8 from line ${number + 1} on: save the file in that encoding`,
        {
          cause: error,
        },
      );
    }
  };
  for await (const chunk of chunks) {
    const lines = (rest + decode(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield parseLine(line, number);
    }
    if (rest.length > longestLine)
      throw new PismakError('invalid-input', `line ${number + 1} of the audience is too long`);
  }
  const last = rest + decode();
  if (last.trim() !== '') yield parseLine(last, number + 1);
}

async function* inGroups(people: AsyncIterable<Person>): AsyncGenerator<Person[]> {
  let group: Person[] = [];
  try {
    for await (const person of people) {
      if (group.push(person) < peopleAtOnce) continue;
      yield group;
      group = [];
    }
  } catch (error) {
    // People before a broken line are valid.
    if (group.length > 0) yield group;
    throw error;
  }
  if (group.length > 0) yield group;
}

function parseLine(line: string, number: number): Person {
  try {
    const person = JSON.parse(line);
    if (typeof person === 'object' && person !== null && !Array.isArray(person)) return person;
  } catch (error) {
    throw new PismakError(
      'invalid-input',
      `line ${number} of the audience is not JSON: ${(error as Error).message}`,
    );
  }
  throw new PismakError('invalid-input', `line ${number} of the audience is not a JSON object`);
}
