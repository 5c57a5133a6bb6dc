import { readFileSync } from 'node:fs';
import { defineProcessor } from '../../../engine/processor/processor.ts';
import split from '../split.ts';

/** `split` that logs the peak memory of its process and of the one that opens files for it. */
export default defineProcessor(async (setup) => {
  const process_ = await split(setup);
  return async (job) => {
    await process_(job);
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
    const peaks = ['self', ...children.split(' ')].filter((pid) => pid !== '').map(peakMegabytes);
    job.log(`peak ${peaks.reduce((sum, peak) => sum + peak, 0)} MB of process ${process.pid}`);
  };
});

/** Not `process.resourceUsage`, which includes the memory of the parent process. */
function peakMegabytes(pid: string): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
