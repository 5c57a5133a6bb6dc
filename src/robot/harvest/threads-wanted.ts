import { cpus } from 'node:os';

/** Below this share of idle time, the machine has no room for another thread. */
export const leastSpare = 0.05;

/**
 * How many threads the harvesters of a process should have: one more if all are busy and the machine has time left, one fewer if the others
 * can do the work. `busy` is the share of time that the threads work, `idle` the share that the machine's processors are idle.
 */
export function threadsWanted({
  threads,
  busy,
  shares,
  idle,
  cores,
}: {
  threads: number;
  busy: number;
  /** How many threads the batches under way could keep busy. */
  shares: number;
  idle: number;
  cores: number;
}): number {
  if (busy > 0.75 && shares > threads && idle > leastSpare) return Math.min(cores, threads + 1);
  // With one thread fewer the others would still have time left.
  const after = threads > 1 ? (busy * threads) / (threads - 1) : 1;
  return after < 0.5 ? threads - 1 : threads;
}

/**
 * How many requests a thread should have in flight: more while some wait and it has time, fewer when it has none. `utilization` is the share of the last second that the event loop was busy.
 */
export function adaptLimit(
  limit: number,
  { utilization, waiting }: { utilization: number; waiting: number },
): number {
  if (utilization > 0.95) return Math.max(8, Math.floor(limit * 0.8));
  if (waiting > 0 && utilization < 0.8) return Math.min(1_000, limit + 8);
  return limit;
}

/** Measures which share of the machine's processor time was idle since the call before. */
export function idleShare(): () => number {
  let before = times();
  return () => {
    const now = times();
    const all = now.all - before.all;
    const share = all > 0 ? (now.idle - before.idle) / all : 1;
    before = now;
    return share;
  };
}

function times(): { idle: number; all: number } {
  const sums = { idle: 0, all: 0 };
  for (const { times: each } of cpus()) {
    sums.idle += each.idle;
    sums.all += each.idle + each.user + each.nice + each.sys + each.irq;
  }
  return sums;
}
