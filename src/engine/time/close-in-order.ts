import type { Clock } from './clock.ts';
import { endsWithin } from './deadline.ts';

/** Maximum time for closing everything, besides the time that workers need to finish their messages. */
export const closeMs = 12_000;

/**
 * Closes what was opened, last opened first, within `ms` in all. A part that fails, or waits too long for an unreachable server,
 * doesn't keep the others open: it gets half of the time that is left, and the last part the rest. The first failure is
 * thrown at the end; otherwise resolves to whether all parts ended in time. The list is empty afterwards.
 */
export async function closeInOrder(clock: Clock, ms: number, steps: (() => unknown)[]): Promise<boolean> {
  const failures: unknown[] = [];
  const end = clock.now() + ms;
  const all = steps.splice(0).reverse();
  let inTime = true;
  for (const [index, step] of all.entries()) {
    const left = Math.max(0, end - clock.now());
    const share = index === all.length - 1 ? left : left / 2;
    try {
      if (!(await endsWithin(clock, share, (async () => step())()))) inTime = false;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return inTime;
}

/** Lets workers finish their messages and leave; resolves to whether they did so in time. */
export async function drain(
  clock: Clock,
  settings: { worker: { drainMs: number } },
  workers: { close(): Promise<unknown> },
): Promise<boolean> {
  return endsWithin(clock, settings.worker.drainMs + closeMs, workers.close());
}
