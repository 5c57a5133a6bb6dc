import { createReadStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../errors.ts';
import { isSystemError } from '../files/system-error.ts';
import { removeLeftovers, temporaryName } from '../files/temporary-files.ts';
import { systemClock } from '../time/clock.ts';
import type { Blobs } from './blobs.ts';
import { checkHash, verified } from './content-hash.ts';
import { writeContent } from './directory/written-content.ts';

const underway = new Map<string, Promise<string>>();

/** The path of a verified local file with the blob's content. Processes may share the directory. */
export function localCopy(blobs: Blobs, hash: string, directory: string): Promise<string> {
  const path = join(directory, hash);
  const known = underway.get(path);
  if (known) return known;
  const copy = findOrFetch(blobs, hash, directory, path).finally(() => underway.delete(path));
  underway.set(path, copy);
  return copy;
}

async function findOrFetch(blobs: Blobs, hash: string, directory: string, path: string): Promise<string> {
  checkHash(hash);
  if (await isWhole(path, hash)) return path;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeLeftovers(directory, systemClock);
  const temporary = join(directory, temporaryName());
  try {
    await writeContent(temporary, blobs.get(hash));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

async function isWhole(path: string, hash: string): Promise<boolean> {
  try {
    for await (const _ of verified(createReadStream(path), hash));
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || hasCode(error, 'blob-corrupt')) return false;
    throw error;
  }
}
