import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Kept here so that no lock is lost to garbage collection. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for this process. Returns the function that releases it, or undefined if another process has it.
 * SQLite locks its file with `fcntl`, so the kernel releases it when the process dies, however it dies. For the same
 * reason nothing else in this process may open and close the file `lock`: that would drop the lock.
 */
export function lockDirectory(directory: string): (() => void) | undefined {
  // Another process may just be looking (see below): wait for a moment.
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 500 });
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

/** Looks without taking: takes a shared lock for an instant. */
export function isLocked(directory: string): boolean {
  const file = join(directory, 'lock');
  if (!existsSync(file)) return false;
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

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
