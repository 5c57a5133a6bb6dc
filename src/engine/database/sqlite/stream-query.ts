import { ReaderProcess } from './reader-process.ts';

/**
 * Streams a query of any SQLite file, also one of another program: so many rows at a time, whatever their number, in a
 * process that opens the file for reading only.
 */
export async function* streamSqlite(
  file: string,
  sql: string,
  rowsAtOnce = 1000,
): AsyncGenerator<Record<string, unknown>> {
  const reader = new ReaderProcess(file);
  try {
    for (;;) {
      const { rows } = await reader.ask({ sql, parameters: [], fetch: rowsAtOnce });
      yield* rows as Record<string, unknown>[];
      if (rows.length < rowsAtOnce) return;
    }
  } finally {
    await reader.end();
  }
}
