import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { mail } from '../house.ts';
import type { AudienceSource } from './campaign.ts';
import { readCsv } from './read-csv.ts';

/** A person of an audience: the column `email`, and whatever else the source has. */
export type Person = Record<string, unknown>;

const peopleAtOnce = 500;

/** Streams a source from the beginning, in constant memory: some people at a time. */
export async function* readAudience(
  { blobs, settings }: Pick<Engine, 'blobs' | 'settings'>,
  source: AudienceSource,
): AsyncGenerator<Person[]> {
  if ('table' in source) {
    const { readTable } = await import('./read-table.ts');
    const query = sectionOf(settings, mail).audiences[source.table];
    if (!query) throw new PismakError('invalid-input', `the settings have no mail.audiences.${source.table}`);
    return yield* inGroups(readTable(query));
  }
  const { blob, format } = source;
  if (format === 'csv') return yield* readCsv(blobs.get(blob));
  yield* inGroups(readLines(blobs.get(blob)));
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Person> {
  const lines = createInterface({ input: Readable.from(chunks), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    yield parseLine(line, number);
  }
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
    // Those before a broken line are as good as ever.
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
  throw new PismakError('invalid-input', `line ${number} of the audience is no JSON object`);
}
