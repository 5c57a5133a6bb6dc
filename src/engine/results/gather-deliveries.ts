import type { Broker, Delivery } from '../broker/broker.ts';
import type { Clock } from '../time/clock.ts';

/** A delivery whose handler waits for `done`. Settle the delivery before calling it. */
export interface HeldDelivery {
  delivery: Delivery;
  done(): void;
}

/**
 * Takes up to `max` messages of a queue: waits up to `waitMs` for the first, and then only for those that follow immediately.
 * The consumer lives only for this call, so nothing is held for callers that may never come.
 */
export async function gatherDeliveries(options: {
  broker: Pick<Broker, 'consume' | 'status'>;
  clock: Clock;
  queue: string;
  max: number;
  waitMs: number;
  signal: AbortSignal;
}): Promise<HeldDelivery[]> {
  const { broker, clock, queue, max, waitMs, signal } = options;
  const status = await broker.status(queue);
  const nothingReady = status.paused || status.ready.high + status.ready.normal === 0;
  if (signal.aborted || (waitMs === 0 && nothingReady)) return [];

  const held: HeldDelivery[] = [];
  let bytes = 0;
  const enough = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let open = true;
  let cancelTimer = clock.after(Math.max(waitMs, nothingReady ? startMs : readyMs), enough.resolve);
  const stop = () => enough.resolve();
  signal.addEventListener('abort', stop, { once: true });

  try {
    const consumer = await broker.consume(queue, { concurrency: max, prefetch: max }, async (delivery) => {
      if (!open || bytes >= maxBytes) {
        // Give it back only after the consumer stops; otherwise it would come straight back.
        await ended.promise;
        return;
      }
      const settled = Promise.withResolvers<void>();
      held.push({ delivery, done: settled.resolve });
      bytes += delivery.body.length;
      cancelTimer();
      if (held.length >= max || bytes >= maxBytes) enough.resolve();
      else cancelTimer = clock.after(lingerMs, enough.resolve);
      await settled.promise;
    });
    await enough.promise;
    open = false;
    // Not awaited: it ends with the last handler, when everything has been settled.
    consumer.close().catch(() => {});
  } catch (error) {
    for (const { done } of held) done();
    throw error;
  } finally {
    open = false;
    cancelTimer();
    // The signal may live as long as the process, and a leftover listener would live as long.
    signal.removeEventListener('abort', stop);
    ended.resolve();
  }
  return held;
}

/** How long the consumer may take to start: with less time, it would find nothing in a queue that has messages. */
const startMs = 1000;
/** How long to wait for messages known to be there: a slow server may need this long. */
const readyMs = 10_000;
/** A queue with more messages delivers the next within this time, even on a busy server. */
const lingerMs = 50;
/** Limit on all bodies of one call, because they go into one answer. A single message may be larger. */
const maxBytes = 8 * 1024 * 1024;
