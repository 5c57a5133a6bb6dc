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

/** Streams a source from the beginning, in constant memory. */
export async function* readAudience(
  { blobs, settings }: Pick<Engine, 'blobs' | 'settings'>,
  source: AudienceSource,
): AsyncGenerator<Person> {
  if ('table' in source) {
    const { readTable } = await import('./read-table.ts');
    const query = sectionOf(settings, mail).audiences[source.table];
    if (!query) throw new PismakError('invalid-input', `the settings have no mail.audiences.${source.table}`);
    return yield* readTable(query);
  }
  const { blob, format } = source;
  if (format === 'csv') return yield* readCsv(blobs.get(blob));
  const lines = createInterface({
    input: Readable.from(blobs.get(blob)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    yield parseLine(line, number);
  }
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
