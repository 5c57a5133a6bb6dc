import { mkdtemp, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, PismakError } from '../../engine/errors.ts';
import { makeDirectory } from '../../engine/files/make-directory.ts';

/** Creates the directory of `-o` and checks that it is writable: better now than after an hour's work. */
export async function openOutputDirectory(path: string): Promise<void> {
  const fail = (what: string, cause: unknown) => {
    const message = `the directory for the results ${what}: ${messageOf(cause)}; choose another with -o`;
    return new PismakError('invalid-input', message, { cause });
  };
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
