import { createReadStream } from 'node:fs';
import { access, mkdir, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { linkOrCopy } from '../files/link-or-copy.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { isSystemError, reasonOf } from '../files/system-error.ts';
import { removeLeftovers, temporaryName } from '../files/temporary-files.ts';
import { PismakError } from '../ground/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Blobs } from './blobs.ts';
import { checkHash, isHash, verified } from './content-hash.ts';
import { writeContent } from './directory/written-content.ts';

/**
 * Blobs as files `ab/abcdef...` in one directory, for any number of processes on one machine. A file gets its name only
 * when it is complete and on disk.
 */
export async function openDirectoryBlobs(directory: string, clock: Clock = systemClock): Promise<Blobs> {
  const incoming = join(directory, 'incoming');
  await makeDirectory(incoming, { mode: 0o700 }).catch((cause: unknown) => {
    const message = `the directory of the blobs, ${directory}, can't be made: ${reasonOf(cause)}; choose another with the setting \`blobs\``;
    throw new PismakError('configuration-invalid', message, { cause });
  });
  await restoreRemoved(directory, incoming);
  await removeLeftovers(incoming, clock);
  /** Folders whose own names are known to be on disk. */
  const durableFolders = new Set<string>();

  return {
    async put(content) {
      const temporary = join(incoming, temporaryName());
      try {
        const reference = await writeContent(temporary, content);
        const path = pathOf(directory, reference.hash);
        const folder = dirname(path);
        if (!durableFolders.has(folder)) {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await syncDirectory(directory);
          durableFolders.add(folder);
        }
        // Replaces an existing file: this renews its time and repairs a corrupt file.
        await rename(temporary, path);
        await syncDirectory(folder);
        return reference;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    async *get(hash) {
      checkHash(hash);
      try {
        yield* verified(createReadStream(pathOf(directory, hash)), hash);
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw error;
        throw missing(hash, error);
      }
    },

    async place(hash, path) {
      checkHash(hash);
      try {
        await linkOrCopy(pathOf(directory, hash), path);
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw error;
        throw missing(hash, error);
      }
    },

    async has(hash) {
      checkHash(hash);
      return access(pathOf(directory, hash)).then(
        () => true,
        () => false,
      );
    },

    async size(hash) {
      checkHash(hash);
      const found = await orIfMissing(undefined, () => stat(pathOf(directory, hash)));
      if (!found) throw missing(hash);
      return found.size;
    },

    async remove(hash, { storedBefore = Number.POSITIVE_INFINITY } = {}) {
      checkHash(hash);
      const path = pathOf(directory, hash);
      const aside = join(incoming, removedName(hash));
      return orIfMissing(false, async () => {
        if ((await stat(path)).mtimeMs >= storedBefore) return false;
        // A put may replace the file at any moment. Only after setting it aside do we know which file we remove.
        await rename(path, aside);
        if ((await stat(aside)).mtimeMs >= storedBefore) {
          await rename(aside, path);
          return false;
        }
        await rm(aside);
        return true;
      });
    },

    async *list() {
      for await (const folder of await opendir(directory)) {
        if (!/^[0-9a-f]{2}$/.test(folder.name)) continue;
        for (const hash of await readdir(join(directory, folder.name))) {
          if (!isHash(hash)) continue;
          const found = await orIfMissing(undefined, () => stat(join(directory, folder.name, hash)));
          if (found) yield { hash, size: found.size, storedAt: Math.floor(found.mtimeMs) };
        }
      }
    },

    async close() {},
  };
}

function missing(hash: string, cause?: unknown): PismakError {
  return new PismakError('blob-missing', `There is no blob ${hash}.`, { cause });
}

function pathOf(directory: string, hash: string): string {
  return join(directory, hash.slice(0, 2), hash);
}

function removedName(hash: string): string {
  return `${temporaryName()}~removed~${hash}`;
}

/** Restores files that a killed process had set aside: they may have been put again just then. */
async function restoreRemoved(directory: string, incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const hash = /~removed~([0-9a-f]{64})$/.exec(name)?.[1];
    if (hash) await orIfMissing(undefined, () => rename(join(incoming, name), pathOf(directory, hash)));
  }
}

async function orIfMissing<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return otherwise;
    throw error;
  }
}
