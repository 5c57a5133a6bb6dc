import type { Running } from '../../engine/service/service.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { SendingHours } from '../model/sending-hours.ts';

const lookMs = 1000;

/**
 * Runs a consumer during the sending hours of its class. Outside them nothing takes messages from the queue, so the backlog
 * keeps the rest, where it can be paused and cancelled; what a sender had in its hands is still sent.
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
      // Closing for the night may wait for relays, and must not be waited for before they are closed too.
      await Promise.all([consumer?.close(), watching]);
    },
  };
}
