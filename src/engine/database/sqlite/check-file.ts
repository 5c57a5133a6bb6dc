import { DatabaseSync } from 'node:sqlite';

/** Returns the faults that SQLite finds in a file; empty if it is sound. Only reads; another process may have it open. */
export function checkSqliteFile(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
  try {
    const rows = database.prepare('PRAGMA quick_check(10)').all();
    return rows.map((row) => String(row.quick_check)).filter((finding) => finding !== 'ok');
  } finally {
    database.close();
  }
}
