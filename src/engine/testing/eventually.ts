import { setTimeout as wait } from 'node:timers/promises';

type Falsy = null | undefined | false | 0 | '';

/**
 * Polls until the answer is truthy and returns it. Fails if that takes too long: the deadline only stops a test that
 * hangs, so by default it is long enough for a crowded machine.
 */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  deadlineMs = 120_000,
): Promise<Exclude<T, Falsy>> {
  const start = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<T, Falsy>;
    const waited = performance.now() - start;
    if (waited > deadlineMs) throw new Error(`Waited ${deadlineMs} ms in vain: ${what}`);
    // Ask less often the longer it takes: the thing we wait for needs the CPU more than we do, and to ask may cost a process.
    await wait(Math.min(Math.max(waited / 20, 5), 100));
  }
}
