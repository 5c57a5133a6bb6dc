import { open } from 'node:fs/promises';
import { messageOf, PismakError } from '../ground/errors.ts';
import { isSystemError } from './system-error.ts';

/** Makes sure that only the owner can read a new file. SQLite would let everyone read it; its WAL inherits the mode. */
export async function createPrivateFile(file: string): Promise<void> {
  try {
    // Never opens an existing file: closing it again would drop SQLite's locks in this process.
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    throw new PismakError('unavailable', `The file ${file} cannot be created: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
