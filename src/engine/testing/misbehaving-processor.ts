import { spawn } from 'node:child_process';
import { defineProcessor, PermanentFailure } from '../processor/processor.ts';

/** Does to its process what the first file of the request says. For tests of the cost of a crash. */
export default defineProcessor(async (setup) => {
  if (setup.config === 'fail to load') throw new Error('this processor never loads');
  return async (job) => {
    const [name] = job.files.names();
    const order = name === undefined ? '' : Buffer.from(await job.files.read(name)).toString();
    job.log(`told to: ${order.slice(0, 40)}`);
    if (order === 'throw') throw new Error('thrown as ordered');
    if (order === 'give up') throw new PermanentFailure('this will never work');
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
    if (order === 'spin') for (;;);
    if (order === 'spin later')
      setTimeout(() => {
        for (;;);
      }, 50);
    if (order === 'exhaust memory') {
      const hoard: string[][] = [];
      for (;;) hoard.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${hoard.length}`));
    }
    if (order === 'grow') (globalThis as { hoard?: Buffer }).hoard = Buffer.alloc(100 * 1024 * 1024, 1);
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
