import type { Clock } from './clock.ts';
import { unlessAborted } from './deadline.ts';

/**
 * Runs work that must end in time. Its signal aborts when the time is up, with what `late` returns, or when the caller
 * leaves. Then this rejects with that reason at once, even if the work takes no notice.
 */
export async function withinTime<T>(
  clock: Clock,
  { ms, signal, late }: { ms: number; signal?: AbortSignal | undefined; late: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Made by hand: a signal of `AbortSignal.any` is never freed while it has a listener and its source lives on.
  const over = new AbortController();
  const leave = () => over.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  const cancel = clock.after(ms, () => over.abort(late()));
  try {
    return await unlessAborted(work(over.signal), over.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', leave);
  }
}
