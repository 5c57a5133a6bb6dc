import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** What the command line says about the young objects of all threads (bin/pismak keeps them few); 0 is Node's default. */
const youngLimit = /^--max-semi-space-size=(\d+)$/;
const usual = process.execArgv.flatMap((word) => youngLimit.exec(word)?.[1] ?? []).at(-1) ?? '0';
let starting = 0;

/**
 * Starts a thread whose limits of memory count. What a page leaves behind is garbage at once, and with more room for the young, less of it is
 * copied and the whole heap is looked through a tenth as often; but a limit on the command line would overrule that of the thread.
 */
export function startThread(module: URL): Worker {
  starting++;
  setFlagsFromString('--max-semi-space-size=0');
  const worker = new Worker(module, {
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 96 },
  });
  let hasStarted = false;
  const started = () => {
    if (hasStarted) return;
    hasStarted = true;
    if (--starting === 0) setFlagsFromString(`--max-semi-space-size=${usual}`);
  };
  worker.once('online', started);
  worker.once('exit', started);
  return worker;
}
