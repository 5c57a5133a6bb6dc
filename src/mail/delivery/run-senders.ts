import type { Running } from '../../engine/service/service.ts';
import { Slots } from '../../engine/turns/slots.ts';
import { SendingHours } from '../model/sending-hours.ts';
import { classesOf, queueOf } from '../settings.ts';
import { wholeMailsPerMessage } from './mail-message.ts';
import { Sender, type SenderParts } from './sender.ts';
import { serveInHours } from './serve-in-hours.ts';

/**
 * Sends what lies in the queues of the classes. A message leaves its queue only when every mail it names has been answered
 * by a relay and the answer is stored.
 */
export async function runSenders(parts: SenderParts): Promise<Running> {
  const { engine, settings, relays } = parts;
  const sender = new Sender(parts);
  const consumers: Running[] = [];
  for (const [name, mailClass] of classesOf(settings)) {
    await engine.pipelines.claimOutput(queueOf(name));
    if (!relays.carries(name)) continue;
    // Each class has its own share, so that no class waits for another here.
    const inFlight = mailClass.inFlight || mailsInFlight(relays.connections);
    const doors = { hands: new Slots(handsPerFlight * inFlight), flight: new Slots(inFlight) };
    const hours = new SendingHours(mailClass.hours, settings.timeZone);
    const onError = (error: unknown) =>
      engine.log.error({ err: error, class: name }, 'the sending hours could not be begun or ended yet');
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
      // Mails that wait for a relay are given back unsent; those a relay has in hand are finished.
      const closing = relays.close();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await closing;
    },
  };
}

/**
 * Mails of a class that a sender has given to relays without having stored their answers: if it is killed, they are sent again.
 * Some are on the wire while others wait for the disk; twice as many are in its hands.
 */
export function mailsInFlight(connections: number): number {
  return Math.max(4 * connections, fewestInFlight);
}

const fewestInFlight = 100;
/** Taken ahead, so that the relays need not wait for the disk. */
const handsPerFlight = 2;

/** Most messages carry several mails. So many messages may be in hand that their whole mails are about twice those in flight. */
function messagesInHand(inFlight: number): { concurrency: number; prefetch: number } {
  const concurrency = Math.max(Math.min(inFlight, 25), Math.ceil(inFlight / 4));
  const prefetch = Math.ceil((handsPerFlight * inFlight) / wholeMailsPerMessage);
  return { concurrency, prefetch: Math.max(concurrency, prefetch) };
}
