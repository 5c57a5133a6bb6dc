import { setTimeout as wait } from 'node:timers/promises';

type Falsy = null | undefined | false | 0 | '';

/** Polls until the answer is truthy and returns it. Fails if that takes too long. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  deadlineMs = 10_000,
): Promise<Exclude<T, Falsy>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<T, Falsy>;
    if (performance.now() > end) throw new Error(`Waited ${deadlineMs} ms in vain: ${what}`);
    await wait(5);
  }
}
