import { readFile } from 'node:fs/promises';
import type { Clock } from '../time/clock.ts';

/**
 * A process serves stages with different limits, so Node can't limit its heap for each of them: we check it, and often, because
 * a runaway processor takes a gigabyte in a second.
 */
const checkMs = 200;
const megabyte = 1024 * 1024;

/**
 * Calls back when a process has used far more than `memoryMb`. `bareBytes` is what it used before it loaded anything,
 * which every process needs.
 */
export function watchMemory(parts: {
  pid: number | undefined;
  memoryMb: number;
  bareBytes: number;
  clock: Clock;
  onExcess: (reason: string) => void;
}): () => void {
  const { pid, memoryMb, bareBytes, clock, onExcess } = parts;
  const limit = Math.max(memoryMb * megabyte * 1.5, bareBytes + memoryMb * megabyte);
  let stopped = false;
  let cancel = () => {};
  const check = async () => {
    const bytes = await residentBytes(pid);
    if (stopped) return;
    if (bytes > limit) onExcess(`used ${Math.round(bytes / megabyte)} MB, its limit is ${memoryMb} MB`);
    else cancel = clock.after(checkMs, check);
  };
  cancel = clock.after(checkMs, check);
  return () => {
    stopped = true;
    cancel();
  };
}

async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8');
    return Number(statm.split(' ')[1]) * 4096;
  } catch {
    // Not Linux, or it has just ended.
    return 0;
  }
}
