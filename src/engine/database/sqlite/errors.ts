import { diskFull } from '../../disk/disk-reserve.ts';
import { PismakError } from '../../ground/errors.ts';
import type { CarriedError } from './thread-link.ts';

/** SQLite's extended result codes for broken unique keys, primary keys, row ids and foreign keys. */
const brokenKeys = new Set([2067, 1555, 2579, 787]);
/** Primary result codes that concern the file, not the statement. */
const storageTrouble = new Map([
  [5, 'another process has locked its file'],
  [8, 'its file is read-only'],
  [10, 'its disk reports an error'],
  [11, 'its file is damaged; restore it from a backup'],
  [14, 'its file cannot be opened'],
  [26, 'its file is not a database; restore it from a backup'],
]);

/** SQLITE_FULL, and the failure to enlarge the shared-memory file, which means the same. */
export function isDiskFull(errcode: number | undefined): boolean {
  return errcode !== undefined && ((errcode & 0xff) === 13 || errcode === 4874);
}

/** The driver's message goes into `cause`: it is for the log, not for callers. */
export function sqliteError({ message, errcode }: CarriedError): PismakError {
  const cause = Object.assign(new Error(message), { errcode });
  if (errcode !== undefined && brokenKeys.has(errcode)) {
    // SQLite names the table and columns, never the values.
    return new PismakError('constraint-violated', `The database refused the change: ${message}.`, { cause });
  }
  if (isDiskFull(errcode)) return diskFull(cause);
  const trouble = errcode === undefined ? undefined : storageTrouble.get(errcode & 0xff);
  if (trouble) return new PismakError('unavailable', `The database cannot be used: ${trouble}.`, { cause });
  return new PismakError('internal', 'The database refused a statement.', { cause });
}
