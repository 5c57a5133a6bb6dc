import type { Clock } from './clock.ts';

/**
 * Waits for work that may never end, but no longer than `ms`: then the result is what `late` returns, or the error it
 * throws. The work itself goes on, and its result is ignored.
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

/** Whether the work ends within `ms`. Throws the work's own error if it fails in time. */
export function endsWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return withDeadline(
    clock,
    ms,
    work.then(() => true),
    () => false,
  );
}

/** Waits for the work until the signal aborts. Then it rejects with the reason, while the work itself continues. */
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
    // A leftover listener would keep the work, and everything it holds, in memory as long as the signal.
    signal.removeEventListener('abort', stop);
  }
}
