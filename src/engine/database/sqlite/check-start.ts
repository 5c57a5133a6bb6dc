import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, PismakError } from '../../ground/errors.ts';

/** Larger files are not read completely at each start: that would take minutes. `doctor` and `restore` do it. */
const quickBytes = 128 * 2 ** 20;

/**
 * Refuses to start on a damaged file, or on a file with foreign code in it: triggers and views run by themselves, and
 * no migration creates any. Changes nothing.
 */
export function checkFiles(files: readonly string[]): void {
  for (const file of files) {
    const fault = existsSync(file) && statSync(file).size > 0 ? faultOf(file) : undefined;
    if (fault === undefined) continue;
    throw new PismakError(
      'unavailable',
      `${basename(file)} in the data directory ${fault}. Nothing was changed. Restore a backup: \`pismak restore FILE --force\` moves the directory aside first.`,
    );
  }
}

function faultOf(file: string): string | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    const found = database
      .prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')")
      .get();
    if (found) return `has a ${found.type} that is not ours (${found.name})`;
    if (statSync(file).size > quickBytes) return undefined;
    const rows = database.prepare('PRAGMA quick_check(3)').all();
    const findings = rows.map((row) => String(row.quick_check)).filter((finding) => finding !== 'ok');
    return findings.length === 0 ? undefined : `is damaged: ${findings.join('; ')}`;
  } catch (error) {
    // Another process has it open: opening it reports that better.
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined;
    return `can't be read (${messageOf(error)})`;
  } finally {
    database?.close();
  }
}
