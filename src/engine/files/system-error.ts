import { messageOf } from '../ground/errors.ts';

/** Whether this is a system error with one of these codes: `isSystemError(error, 'ENOENT')`. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission is denied',
  EEXIST: 'something of that name exists already',
  EISDIR: 'it is a directory',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file would be larger than the system allows',
  ENOTDIR: 'a part of its path is not a directory',
};

/** Why a file can't be read or written, in plain words for common reasons. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? messageOf(error);
}
