import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../time/clock.ts';

const lookMs = 5_000;
const megabyte = 1024 * 1024;
/** The share of one core below which the process is idle. Waiting for messages takes less, all threads together. */
const idleShare = 0.05;
const worthwhileBytes = 16 * megabyte;

/**
 * Frees memory while this process has nothing to do. V8 collects garbage on allocation, so an idle process
 * would keep what its start or a busy hour left behind. Returns how to stop.
 */
export function freeMemoryWhenIdle(clock: Clock): () => void {
  let heapAfter = 0;
  let cpuBefore = process.cpuUsage();
  let cancel = () => {};
  const look = () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuBefore = process.cpuUsage();
    const isIdle = (user + system) / 1000 < lookMs * idleShare;
    if (isIdle && process.memoryUsage().heapTotal - heapAfter > worthwhileBytes) {
      collectGarbage();
      heapAfter = process.memoryUsage().heapTotal;
    }
    cancel = clock.after(lookMs, look);
  };
  cancel = clock.after(lookMs, look);
  return () => cancel();
}

let collect: ((how: object) => void) | undefined;

/** Takes about 50 ms. */
export function collectGarbage(): void {
  if (!collect) {
    // Node has no function for it, but a context created after this flag is set has one.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as (how: object) => void;
    setFlagsFromString('--no-expose-gc');
  }
  // The last-resort collection shrinks the nursery too.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
