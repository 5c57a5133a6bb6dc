import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSystemError } from '../../engine/files/system-error.ts';
import { partName, removeParts } from '../../engine/files/temporary-files.ts';
import { systemClock } from '../../engine/time/clock.ts';

/** Directories in which this run has removed the leftovers of killed runs. */
const tidied = new Set<string>();

/** Writes a file atomically: it exists complete or not at all. */
export async function saveFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const directory = dirname(path);
  if (!tidied.has(directory)) {
    tidied.add(directory);
    await removeParts(directory, systemClock);
  }
  const temporary = join(directory, partName());
  try {
    const file = await open(temporary, 'w');
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether the file exists with exactly this content. */
export async function isSaved(path: string, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
  return hash.digest('hex') === sha256;
}
