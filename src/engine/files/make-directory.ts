import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from './system-error.ts';

/**
 * Makes the directory and those above it that are missing. Node's own `recursive` never ends where nothing can be made
 * though the directory above is there, as in /proc.
 */
export async function makeDirectory(path: string, options: { mode?: number } = {}): Promise<void> {
  if (await tryMake(path, options)) return;
  await makeDirectory(dirname(path), options);
  if (!(await tryMake(path, options))) throw new Error(`nothing can be made in ${dirname(path)}`);
}

/** False when the directory above is missing, or so it is said. */
async function tryMake(path: string, options: { mode?: number }): Promise<boolean> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (isSystemError(error, 'ENOENT') && dirname(path) !== path) return false;
    if (!isSystemError(error, 'EEXIST', 'EISDIR') || !(await stat(path)).isDirectory()) throw error;
  }
  return true;
}
