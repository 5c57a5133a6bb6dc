import { once } from 'node:events';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { carry } from './thread-link.ts';

/** One statement for the process that reads. */
export interface ReaderQuestion {
  id: number;
  sql: string;
  parameters: readonly unknown[];
}

/** A process that only reads, at low priority, and may be killed at any moment: WAL lets it read while others write. */
const [file = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));

// During a long statement it wouldn't notice that its parent was killed, so a thread looks.
const code = `const parent = ${process.ppid};
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
  require('node:worker_threads').parentPort.postMessage('looking');`;
const look = new Worker(code, { eval: true, execArgv: [], stdout: false, stderr: false });
await once(look, 'message');
look.unref();

const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
process.on('message', ({ id, sql, parameters }: ReaderQuestion) => {
  try {
    // The driver refuses values that it can't bind.
    const rows = database.prepare(sql).all(...(parameters as SQLInputValue[]));
    process.send?.({ id, answer: { rows } });
  } catch (error) {
    process.send?.({ id, error: carry(error) });
  }
});
