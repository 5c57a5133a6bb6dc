import { closeSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isSystemError } from '../files/system-error.ts';

/** Kept here so that no lock is lost to garbage collection. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for this process. Returns the function that releases it, or undefined if another process has it.
 * SQLite locks its file with `fcntl`, so the kernel releases it when the process dies, however it dies. For the same
 * reason nothing else in this process may open and close the file `lock`: that would drop the lock.
 *
 * This is not the database, which may be on a server: SQLite is used because Node itself can't lock files. That is why it is in
 * the data directory's folder, and the import rules name it as the only exception to "only ports know SQLite".
 */
export function lockDirectory(directory: string): (() => void) | undefined {
  const file = join(directory, 'lock');
  createPrivate(file);
  // Another process may be looking just now (see below): wait for a moment.
  const database = new DatabaseSync(file, { timeout: 500 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(database);
  return () => {
    if (held.delete(database)) database.close();
  };
}

/** Looks without taking it: holds a shared lock for an instant. */
export function isLocked(directory: string): boolean {
  const file = join(directory, 'lock');
  if (!isOwnFile(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Any user who can open the file can hold its lock, so only this user may, and it must not be a link to something else. */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    if (!isOwnFile(file)) throw new Error(`${file} is a link or not a plain file; remove it`);
  }
}

/** Checks by name: opening and closing the file would drop the lock of this process. */
function isOwnFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
