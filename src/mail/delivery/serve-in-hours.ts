import type { Running } from '../../engine/service/service.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { SendingHours } from '../model/sending-hours.ts';

const lookMs = 1000;

/**
 * Runs a consumer during the sending hours of its class. Outside them the queue is not consumed, so mails stay in the backlog,
 * where they can be paused and cancelled. Mails already taken are still sent.
 */
export async function serveInHours(
  { clock, hours, onError }: { clock: Clock; hours: SendingHours; onError(error: unknown): void },
  open: () => Promise<Running>,
): Promise<Running> {
  if (hours.isAlways) return open();
  const stop = new AbortController();
  let consumer = hours.isOpen(clock.now()) ? await open() : undefined;
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await sleep(clock, lookMs, stop.signal);
      if (stop.signal.aborted || hours.isOpen(clock.now()) === (consumer !== undefined)) continue;
      try {
        const before = consumer;
        consumer = undefined;
        if (before) await before.close();
        else consumer = await open();
      } catch (error) {
        onError(error);
      }
    }
  })();
  return {
    async close() {
      stop.abort();
      // The watcher may be closing a consumer that waits for relays: await both together.
      await Promise.all([consumer?.close(), watching]);
    },
  };
}
