import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PismakError } from '../../engine/ground/errors.ts';
import { resultFiles } from '../formats/output-formats.ts';

/** Texts of pages: name to path. */
export type TextFiles = ReadonlyMap<string, string>;

/** A printed page has a few thousand characters; a file of several MB is not one page. */
const largest = 4 * 1024 * 1024;

/** Finds `NAME.txt`, `NAME/text.txt` (as results are saved) and `NAME.gt.txt` (a common name for ground truth). */
export async function findTexts(directory: string): Promise<TextFiles> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((cause) => {
    throw new PismakError('not-found', `can't read the directory ${directory}`, { cause });
  });
  const texts = new Map<string, string>();
  for (const { name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(directory, name, resultFiles.txt);
    if (/\.txt$/i.test(name)) texts.set(name.replace(/(\.gt)?\.txt$/i, ''), join(directory, name));
    else if (await isFile(inside)) texts.set(name, inside);
  }
  return texts;
}

export async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > largest) {
    throw new PismakError('too-large', `${path} has more than 4 MB; compare texts page by page`);
  }
  return readFile(path, 'utf8');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
