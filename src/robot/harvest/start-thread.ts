import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** The size of the young generation that the command line sets for all threads (bin/pismak keeps it small); 0 is Node's default. */
const youngLimit = /^--max-semi-space-size=(\d+)$/;
const usual = process.execArgv.flatMap((word) => youngLimit.exec(word)?.[1] ?? []).at(-1) ?? '0';
let starting = 0;

/**
 * Starts a thread with memory limits of its own. What a page leaves behind is garbage at once: with a larger young generation less of it is copied,
 * and full collections are a tenth as frequent. A limit on the command line would overrule that of the thread, so it is lifted while the thread starts.
 */
export function startThread(module: URL, workerData?: unknown): Worker {
  starting++;
  setFlagsFromString('--max-semi-space-size=0');
  const worker = new Worker(module, {
    workerData,
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
