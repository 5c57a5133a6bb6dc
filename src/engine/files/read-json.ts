import { readFile } from 'node:fs/promises';
import { parseJson } from '../ground/json.ts';

/** The content of a JSON file; undefined if it can't be read or is not JSON. */
export async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseJson(text);
}
