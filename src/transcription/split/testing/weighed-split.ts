import { readFileSync } from 'node:fs';
import { defineProcessor } from '../../../engine/processor/processor.ts';
import split from '../split.ts';

/** `split`, which tells in its log how much memory its process has had at most. */
export default defineProcessor(async (setup) => {
  const process_ = await split(setup);
  return async (job) => {
    await process_(job);
    job.log(`peak ${peakMegabytes()} MB of process ${process.pid}`);
  };
});

/** Not `process.resourceUsage`: there the memory of the process that has started this one counts too. */
function peakMegabytes(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
