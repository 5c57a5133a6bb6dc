import type { Clock } from './clock.ts';

/**
 * Waits for what may never end, but no longer than `ms`: then the answer is what `late` returns, or the error that it
 * throws. The work itself goes on, and what becomes of it later is ignored.
 */
export function withDeadline<Answer, Late = Answer>(
  clock: Clock,
  ms: number,
  work: Promise<Answer>,
  late: () => Late,
): Promise<Answer | Late> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    work.then(resolve, reject).finally(cancel);
  });
}

/** Whether the work ends within `ms`. What it throws in time is thrown here. */
export function endsWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return withDeadline(
    clock,
    ms,
    work.then(() => true),
    () => false,
  );
}

/** Waits until the signal aborts at the latest: then rejects with its reason, while the work itself goes on. */
export async function unlessAborted<Answer>(
  work: Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    // A listener left behind would keep the work, and all that it holds, as long as the signal.
    signal.removeEventListener('abort', stop);
  }
}
