import type { Clock } from './clock.ts';
import { unlessAborted } from './deadline.ts';

export interface Time {
  ms: number;
  /** Aborts when the caller leaves. */
  signal?: AbortSignal | undefined;
  /** The reason for the rejection when the time is up. */
  late: () => Error;
}

/**
 * Runs work that must end in time. Its signal aborts when the time is up or the caller leaves. Then this rejects with the
 * reason at once, even if the work ignores the signal.
 */
export function withinTime<T>(
  clock: Clock,
  time: Time,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withSignal(clock, time, (signal) => unlessAborted(work(signal), signal));
}

/** The same for work that heeds its signal: this waits until the work has ended. */
export async function withSignal<T>(
  clock: Clock,
  { ms, signal, late }: Time,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Built by hand: a signal of `AbortSignal.any` is never freed while it has a listener and its source lives on.
  const over = new AbortController();
  const leave = () => over.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  const cancel = clock.after(ms, () => over.abort(late()));
  try {
    return await work(over.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', leave);
  }
}
