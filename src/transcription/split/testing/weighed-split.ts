import { readFileSync } from 'node:fs';
import { defineProcessor } from '../../../engine/processor/processor.ts';
import split from '../split.ts';

/** `split` that logs the peak memory of its process. */
export default defineProcessor(async (setup) => {
  const process_ = await split(setup);
  return async (job) => {
    await process_(job);
    job.log(`peak ${peakMegabytes()} MB of process ${process.pid}`);
  };
});

/** Not `process.resourceUsage`, which includes the memory of the parent process. */
function peakMegabytes(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
