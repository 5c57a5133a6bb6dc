import type { Broker, Delivery } from '../broker/broker.ts';
import type { Clock } from '../time/clock.ts';

/** A delivery whose handler waits until `done` is called: whoever has it settles it first. */
export interface HeldDelivery {
  delivery: Delivery;
  done(): void;
}

/**
 * Takes up to `max` messages of a queue at once: waits up to `waitMs` for the first and then only for what comes at
 * once. The consumer lives as long as this call, so nothing is hoarded for callers who may never come.
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
        // Given back only once the consumer takes no more, or it would come straight back here.
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
    // Not awaited: it ends with the last handler, which is when everything has been settled.
    consumer.close().catch(() => {});
  } catch (error) {
    for (const { done } of held) done();
    throw error;
  } finally {
    open = false;
    cancelTimer();
    // The signal may live as long as the process: a listener left on it would too.
    signal.removeEventListener('abort', stop);
    ended.resolve();
  }
  return held;
}

/** What the consumer may take to come up: less would find nothing in a queue that has something. */
const startMs = 1000;
/** What is known to be there comes, unless another takes it: to a slow server that may be worth waiting for. */
const readyMs = 10_000;
/** A queue that has more delivers it within this time of the last, also on a busy server. */
const lingerMs = 50;
/** All bodies of one call go into one answer. One message alone may be larger. */
const maxBytes = 8 * 1024 * 1024;
