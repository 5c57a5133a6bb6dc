import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from './system-error.ts';

/**
 * Creates the directory and its missing parents. Node's own `recursive` never ends where the parent exists but nothing can be
 * created in it, as in /proc.
 */
export async function makeDirectory(path: string, options: { mode?: number } = {}): Promise<void> {
  if (await tryMake(path, options)) return;
  await makeDirectory(dirname(path), options);
  if (!(await tryMake(path, options))) throw new Error(`no directory can be created in ${dirname(path)}`);
}

/** False if the parent is missing, or the system says so. */
async function tryMake(path: string, options: { mode?: number }): Promise<boolean> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (isSystemError(error, 'ENOENT') && dirname(path) !== path) return false;
    if (!isSystemError(error, 'EEXIST', 'EISDIR') || !(await stat(path)).isDirectory()) throw error;
  }
  return true;
}
