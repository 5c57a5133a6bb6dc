import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../files/system-error.ts';
import { removeLeftovers, temporaryName } from '../files/temporary-files.ts';
import { hasCode } from '../ground/errors.ts';
import { systemClock } from '../time/clock.ts';
import type { BlobReference, Blobs } from './blobs.ts';
import { checkHash, isHash, verified } from './content-hash.ts';
import { writeContent } from './directory/written-content.ts';

const underway = new Map<string, Promise<string>>();
/** A copy that no stage names may still be used by a message that began before the change. */
const keptMs = 24 * 60 * 60 * 1000;

/** The path of a verified local file with the blob's content. Processes may share the directory. */
export function localCopy(blobs: Blobs, hash: string, directory: string): Promise<string> {
  const path = join(directory, hash);
  const known = underway.get(path);
  if (known) return known;
  const copy = findOrFetch(blobs, hash, directory, path).finally(() => underway.delete(path));
  underway.set(path, copy);
  return copy;
}

/** Makes the copy if there is none of this size, and marks it as used. Resolves to whether it had to be fetched. */
export async function fetchCopy(
  blobs: Blobs,
  { hash, size }: BlobReference,
  directory: string,
): Promise<boolean> {
  checkHash(hash);
  const path = join(directory, hash);
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== size) await localCopy(blobs, hash, directory);
  const now = new Date(systemClock.now());
  await utimes(path, now, now);
  return found?.size !== size;
}

/** Deletes the copies that are not among `named` and were not used for a day. */
export async function dropUnused(directory: string, named: ReadonlySet<string>, now: number): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!isHash(name) || named.has(name)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < now - keptMs) await rm(path, { force: true });
  }
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
