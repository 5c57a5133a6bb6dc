import type { Running } from '../../engine/service/service.ts';
import { Slots } from '../../engine/turns/slots.ts';
import { SendingHours } from '../model/sending-hours.ts';
import { classesOf, queueOf } from '../settings/settings.ts';
import { wholeMailsPerMessage } from './mail-message.ts';
import { Sender, type SenderParts } from './sender.ts';
import { serveInHours } from './serve-in-hours.ts';

/**
 * Serves the queues of the classes. A message leaves its queue only when relays have answered for all of its mails and the
 * answers are stored.
 */
export async function runSenders(parts: SenderParts): Promise<Running> {
  const { engine, settings, relays } = parts;
  const sender = new Sender(parts);
  const consumers: Running[] = [];
  for (const [name, mailClass] of classesOf(settings)) {
    await engine.pipelines.claimOutput(queueOf(name));
    if (!relays.carries(name)) continue;
    // Each class has its own slots, so that no class waits for another.
    const inFlight = mailClass.inFlight || mailsInFlight(relays.connections);
    const doors = { hands: new Slots(handsPerFlight * inFlight), flight: new Slots(inFlight) };
    const hours = new SendingHours(mailClass.hours, settings.timeZone);
    const onError = (error: unknown) =>
      engine.log.error({ err: error, class: name }, 'could not start or stop sending for the sending hours');
    consumers.push(
      await serveInHours({ clock: engine.clock, hours, onError }, () =>
        engine.broker.consume(queueOf(name), messagesInHand(inFlight), (delivery) =>
          sender.serve(delivery, { className: name, mailClass, doors }),
        ),
      ),
    );
  }
  return {
    async close() {
      // Mails that wait for a relay go back unsent; those that a relay is receiving are finished.
      const closing = relays.close();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await closing;
    },
  };
}

/**
 * The most mails of a class that are with relays or whose answers are not stored yet: if the sender is killed, they are sent
 * again. Some are on the wire while others wait for the disk. Up to twice as many are taken.
 */
export function mailsInFlight(connections: number): number {
  return Math.max(4 * connections, fewestInFlight);
}

const fewestInFlight = 100;
/** Mails are taken ahead, so that relays do not wait for the disk. */
const handsPerFlight = 2;

/** Messages carry several mails: prefetch enough for twice as many whole mails as may be in flight. */
function messagesInHand(inFlight: number): { concurrency: number; prefetch: number } {
  const concurrency = Math.max(Math.min(inFlight, 25), Math.ceil(inFlight / 4));
  const prefetch = Math.ceil((handsPerFlight * inFlight) / wholeMailsPerMessage);
  return { concurrency, prefetch: Math.max(concurrency, prefetch) };
}
