import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineProcessor, PermanentFailure, WrongWorker } from '../processor/processor.ts';

/** Does to its process what the first file of the request says. For tests of the cost of a crash. */
export default defineProcessor(async (setup) => {
  if (setup.config === 'fail to load') throw new Error('this processor never loads');
  return async (job) => {
    const [name] = job.files.names();
    const order = name === undefined ? '' : Buffer.from(await job.files.read(name)).toString();
    job.log(`told to: ${order.slice(0, 40)}`);
    if (order === 'throw') throw new Error('thrown as ordered');
    if (order === 'give up') throw new PermanentFailure('this will never work');
    if (order === 'not here') throw new WrongWorker('this worker is too old');
    if (order === 'exit') process.exit(0);
    if (order === 'start a program and exit') {
      job.log(`program ${spawn('sleep', ['60']).pid}`);
      setImmediate(() => process.exit(0));
      await new Promise(() => {});
    }
    if (order === 'write text') Reflect.apply(job.files.write, job.files, ['answer', 'text, not bytes']);
    if (order === 'write and crash') {
      await job.files.write('answer', Buffer.alloc(100_000, 'a'));
      process.kill(process.pid, 'SIGKILL');
    }
    if (order === 'crash') process.kill(process.pid, 'SIGSEGV');
    if (order === 'spin') blockForever();
    if (order === 'spin later')
      globalThis.setTimeout(() => {
        for (;;);
      }, 50);
    if (order === 'exhaust memory') {
      const hoard: string[][] = [];
      for (;;) hoard.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${hoard.length}`));
    }
    if (order === 'grow') (globalThis as { hoard?: Buffer }).hoard = Buffer.alloc(100 * 1024 * 1024, 1);
    if (order === 'hold and free') return job.log(`${await holdAndFree()} MB more`);
    if (order === 'reject later') void Promise.reject(new Error('nobody catches this'));
    if (order === 'wait' && !job.signal.aborted) {
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve, { once: true }));
    }
    await job.files.write(
      'answer',
      Buffer.from(`pid ${process.pid}, config ${setup.config}, version ${setup.version}`),
    );
  };
});

/** Never returns to the event loop, as an endless loop doesn't, but leaves the core to the tests beside it. */
function blockForever(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Works with buffers as large as a page and keeps some as large as a text. Gives the megabytes by which the process stays larger. */
async function holdAndFree(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const megabyte = 1024 * 1024;
  const before = process.memoryUsage.rss();
  const kept: Buffer[] = [];
  let least = Infinity;
  for (let round = 0; round < 20; round++) {
    // The engine frees them in a thread of its own, so the least of several rounds counts.
    collect();
    await setTimeout(10);
    if (round >= 5) least = Math.min(least, process.memoryUsage.rss());
    for (const size of [20, 12, 12, 12, 12]) {
      Buffer.alloc(size * megabyte, 1);
      kept.push(Buffer.alloc(100_000, 1));
    }
  }
  return Math.round((least - before) / megabyte);
}
