import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ForeignText } from '../../src/engine/testing/foreign-reader.ts';

const src = join(import.meta.dirname, '../../src');
/** Programs that people run on their own words, on their own machine. */
const ownWords = ['cli', 'terminal'];

/** A part of src/ and its list; undefined if it has none. */
export interface PartOfSource {
  part: string;
  /** A URL. */
  list: string;
  foreignText: ForeignText | undefined;
}

export async function foreignTexts(): Promise<PartOfSource[]> {
  const parts = readdirSync(src, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ownWords.includes(entry.name))
    .map(({ name }) => name);
  return Promise.all(
    parts.map(async (part) => {
      const file = join(src, part, 'testing/foreign-text.ts');
      const list = pathToFileURL(file).href;
      const foreignText = existsSync(file) ? (await import(list)).foreignText : undefined;
      return { part, list, foreignText };
    }),
  );
}
