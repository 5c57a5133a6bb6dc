import { once } from 'node:events';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { carry } from './thread-link.ts';

/** One statement for the reading process. */
export interface ReaderQuestion {
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Maximum number of rows: the first rows, or the next rows of the previous statement. */
  fetch?: number;
}

/** A process that only reads, at low priority, and may be killed at any moment: WAL lets it read while others write. */
const [file = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));

// During a long statement it wouldn't notice that its parent was killed, so a thread checks.
const code = `const parent = ${process.ppid};
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
  require('node:worker_threads').parentPort.postMessage('looking');`;
const look = new Worker(code, { eval: true, execArgv: [], stdout: false, stderr: false });
await once(look, 'message');
look.unref();

const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
let cursor: { sql: string; rows: Iterator<unknown> } | undefined;
process.on('message', ({ id, sql, parameters, fetch }: ReaderQuestion) => {
  try {
    // The driver refuses values that it can't bind.
    const values = parameters as SQLInputValue[];
    if (fetch !== undefined && cursor?.sql !== sql) {
      const statement = database.prepare(sql);
      // Otherwise the driver refuses rows with larger integers than a number can hold.
      statement.setReadBigInts(true);
      cursor = { sql, rows: statement.iterate(...values) };
    }
    const rows =
      fetch !== undefined && cursor ? take(cursor.rows, fetch) : database.prepare(sql).all(...values);
    process.send?.({ id, answer: { rows } });
  } catch (error) {
    process.send?.({ id, error: carry(error) });
  }
});

function take(rows: Iterator<unknown>, most: number): unknown[] {
  const taken: unknown[] = [];
  while (taken.length < most) {
    const { done, value } = rows.next();
    if (done) break;
    taken.push(withNumbers(value as Record<string, unknown>));
  }
  return taken;
}

/** Integers become numbers, or text if they are too large. */
function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(row))
    if (typeof value === 'bigint')
      row[name] = Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return row;
}
