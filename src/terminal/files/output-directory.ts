import { mkdtemp, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';

/** Creates the directory of `-o` and checks that it is writable: better now than after an hour's work. */
export async function openOutputDirectory(path: string): Promise<void> {
  const fail = (what: string, cause: unknown) => {
    const message = `the directory for the results ${what}: ${reasonOf(cause)}; choose another with -o`;
    return new PismakError('invalid-input', message, { cause });
  };
  // Probably an unset variable. Without this check, everything would land in the current directory.
  if (path === '') throw new PismakError('invalid-input', '-o is empty; name a directory for the results');
  try {
    await makeDirectory(resolve(path));
  } catch (cause) {
    throw fail("can't be made", cause);
  }
  try {
    // Try a real write: permissions say nothing about full, read-only or virtual file systems.
    await rmdir(await mkdtemp(join(path, '.writable-')));
  } catch (cause) {
    throw fail("can't be written to", cause);
  }
}
