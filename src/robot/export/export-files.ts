import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { saveFile } from '../../terminal/files/save-file.ts';

const files: Readonly<Record<string, { folder: string; name: string; extension: string }>> = {
  documents: { folder: '', name: 'documents', extension: 'jsonl.gz' },
  text: { folder: '', name: 'text', extension: 'txt.gz' },
  corpus: { folder: '', name: 'corpus', extension: 'vert.gz' },
  warc: { folder: 'warc', name: 'pismak', extension: 'warc.gz' },
  // Unsorted lines of the index; the sorted file has no leading dot.
  cdxj: { folder: 'warc', name: '.pismak', extension: 'cdxj' },
  requests: { folder: '', name: 'requests', extension: 'jsonl.gz' },
  catalogue: { folder: '', name: '.robot-catalogue', extension: 'bin' },
};

/** The number of the file in use for each part, and its length. */
const positions = z.record(z.string(), z.object({ number: z.number(), size: z.number() }));
export type Positions = z.output<typeof positions>;

const stateSchema = z.object({
  crawl: z.string(),
  /** The last segment that is written. */
  after: z.number(),
  files: positions,
  /** Parts whose complete new files (`.new`) are about to replace the old ones, with the positions of the old ones. */
  replacing: positions.optional(),
});
export type ExportState = z.output<typeof stateSchema>;

/** Files are closed when they reach this size. */
export const rotateBytes = 500_000_000;
const never = new Set(['catalogue']);

export function fileOf(directory: string, part: string, number: number): string {
  const { folder, name, extension } = files[part] ?? { folder: '', name: part, extension: 'gz' };
  return join(directory, folder, `${name}-${String(number).padStart(5, '0')}.${extension}`);
}

/** Where the next bytes of a part go: the file in use, or the next one if that is full. */
export function nextPosition(positionsNow: Positions, part: string): { number: number; size: number } {
  const { number, size } = positionsNow[part] ?? { number: 0, size: rotateBytes };
  const isFull = number === 0 || (size >= rotateBytes && !never.has(part));
  return isFull ? { number: number + 1, size: 0 } : { number, size };
}

/** Writes bytes at a position and makes them durable. */
export async function writeAt(
  directory: string,
  part: string,
  { number, size }: { number: number; size: number },
  content: Buffer,
  suffix = '',
): Promise<void> {
  const folder = files[part]?.folder;
  if (size === 0 && folder) await makeDirectory(join(directory, folder));
  const file = await open(`${fileOf(directory, part, number)}${suffix}`, size === 0 ? 'w' : 'r+');
  try {
    let written = 0;
    while (written < content.length)
      written += (await file.write(content, written, content.length - written, size + written)).bytesWritten;
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Appends to the file in use, and updates its position. */
export async function append(
  directory: string,
  positionsNow: Positions,
  part: string,
  content: Buffer,
  suffix = '',
): Promise<void> {
  if (content.length === 0) return;
  const { number, size } = nextPosition(positionsNow, part);
  await writeAt(directory, part, { number, size }, content, suffix);
  positionsNow[part] = { number, size: size + content.length };
}

/** Cuts off what was written after the state was saved. Fails if a file is shorter than the state says. */
export async function cutFiles(directory: string, state: ExportState): Promise<void> {
  for (const [part, { number, size }] of Object.entries(state.files)) {
    const file = fileOf(directory, part, number);
    const { size: length } = (await stat(file).catch(ignoreMissing)) ?? { size: 0 };
    if (length < size)
      throw new PismakError(
        'conflict',
        `${file} ${length === 0 ? 'is missing' : 'has been cut off'}, so the corpus can't be continued: put the file back, or choose an empty directory with -o`,
      );
    if (length > size) await truncate(file, size);
  }
}

/** Refuses a directory with files that a new crawl would overwrite. */
export async function checkUnused(directory: string): Promise<void> {
  for (const part of Object.keys(files))
    if (existsSync(fileOf(directory, part, 1)))
      throw new PismakError(
        'conflict',
        `${directory} contains the corpus of another crawl: choose another directory with -o`,
      );
}

/** Replaces old files with new ones; continues where a killed process stopped. */
export async function replaceFiles(directory: string, state: ExportState): Promise<ExportState> {
  const { replacing, ...rest } = state;
  for (const [part, before] of Object.entries(replacing ?? {})) {
    const last = rest.files[part]?.number ?? 0;
    for (let number = 1; number <= Math.max(last, before.number); number++) {
      const file = fileOf(directory, part, number);
      if (number > last) await rm(file, { force: true });
      else await rename(`${file}.new`, file).catch(ignoreMissing);
    }
  }
  await writeState(directory, rest);
  return rest;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const stateFile = (directory: string) => join(directory, '.robot.json');

export async function readState(directory: string): Promise<ExportState | undefined> {
  const text = await readFile(stateFile(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function writeState(directory: string, state: ExportState): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(state)}\n`);
  await saveFile(
    stateFile(directory),
    (async function* () {
      yield content;
    })(),
  );
}
