import { ReaderProcess } from './reader-process.ts';

/**
 * Streams a query of any SQLite file, even of another program: a fixed number of rows at a time, in a
 * process that opens the file read-only.
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
