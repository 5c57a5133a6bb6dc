import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { EarlierRecord } from './warc.ts';

/** Suffix of an index that still grows; the sorted index has none. */
export const unsorted = '.part';
export const mostKnownBodies = 200_000;

const fileName =
  /^(?:documents|text|corpus|pismak)-(?:(.+)-)?(\d{5})\.(?:jsonl|txt|vert|warc|cdxj)(?:\.gz|\.part)?$/;

/** Removes segments after the position at which the corpus continues. */
export async function removeLater(directory: string, name: string, segment: number): Promise<void> {
  for (const { path, number } of await segmentFiles(directory, name)) if (number > segment) await rm(path);
}

/** The bodies in the last segments, so that they are not stored again. */
export async function bodiesOf(
  directory: string,
  name: string,
  segment: number,
): Promise<Map<string, EarlierRecord>> {
  const bodies = new Map<string, EarlierRecord>();
  const files = (await segmentFiles(directory, name)).filter(({ path }) => path.includes('.cdxj'));
  for (const { path, number } of files) {
    if (number < segment - 2) continue;
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      if (bodies.size >= mostKnownBodies || line === '') break;
      const [, stamp = '', json = ''] = /^\S+ (\d{14}) (.*)$/.exec(line) ?? [];
      const entry = entrySchema.parse(JSON.parse(json));
      if (entry.mime !== 'warc/revisit') bodies.set(entry.digest, { url: entry.url, date: dateOf(stamp) });
    }
  }
  return bodies;
}

const entrySchema = z.object({ url: z.string(), digest: z.string(), mime: z.string() });

export function dateOf(stamp: string): string {
  return stamp.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
}

/** Sorts a finished index. */
export async function sortIndex(path: string): Promise<void> {
  const sorted = path.slice(0, -unsorted.length);
  await writeLines(sorted, linesOf(await readFile(path, 'utf8')).sort());
  await rm(path);
}

/** Reopens the index of a finished segment that is continued, with the lines of the records that stay. */
export async function reopenIndex(path: string, warcLength: number): Promise<void> {
  const sorted = path.slice(0, -unsorted.length);
  const lines = linesOf(await readFile(sorted, 'utf8'));
  await writeLines(
    path,
    lines.filter((line) => Number(/"offset":"(\d+)"/.exec(line)?.[1]) < warcLength),
  );
  await rm(sorted);
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { flush: true });
  await rename(`${path}.new`, path);
}

async function segmentFiles(directory: string, name: string): Promise<{ path: string; number: number }[]> {
  const found = [];
  for (const folder of [directory, join(directory, 'warc')]) {
    for (const file of await filesIn(folder)) {
      const [, owner = '', number] = fileName.exec(file) ?? [];
      if (number !== undefined && owner === name)
        found.push({ path: join(folder, file), number: Number(number) });
    }
  }
  return found.sort((one, other) => one.number - other.number);
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
