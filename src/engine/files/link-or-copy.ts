import { constants, copyFile, link } from 'node:fs/promises';
import { isSystemError } from './system-error.ts';

/** A second name for a file, or a copy where there can be none: on another device, or in a file system without them. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isSystemError(error, 'EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}
