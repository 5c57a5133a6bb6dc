import { Connection } from 'rabbitmq-client';
import { systemClock } from '../../src/engine/time/clock.ts';
import { Relays } from '../../src/mail/relays/relays.ts';
import { RateWatch } from './rates.ts';
import { makeReady, usualRelay } from './ready-made-part.ts';
import { costSince, costsNow } from './usage.ts';

/**
 * What a program without Pismak can do: rabbitmq-client, a quorum queue with the same mails ready-made, the same SMTP client,
 * an ack after the answer. It renders nothing, records nothing, and tries nothing again.
 */
export async function consumeBare(options: {
  mails: number;
  broker: string;
  url: string;
  prefetch: number;
  servers: readonly number[];
}) {
  const { mails, broker, url, prefetch, servers } = options;
  const queue = 'bare';
  const connection = new Connection({ url: broker, noDelay: true });
  const channel = await connection.acquire();
  await channel.confirmSelect();
  await channel.queueDeclare({ queue, durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const { message, from } = await makeReady();
  let next = 0;
  await Promise.all(
    Array.from({ length: 500 }, async () => {
      while (next < mails) {
        const messageId = String(next++);
        await channel.basicPublish({ routingKey: queue, durable: true, messageId }, message);
      }
    }),
  );
  const relays = new Relays([{ ...usualRelay, url }], { clock: systemClock });
  const watch = new RateWatch();
  const consuming = await connection.acquire();
  await consuming.basicQos({ prefetchCount: prefetch });
  const before = costsNow(servers, 0);
  watch.look(0);
  let sent = 0;
  const all = Promise.withResolvers<void>();
  await consuming.basicConsume({ queue }, ({ body, deliveryTag, messageId = '' }) => {
    const envelope = { from: from.address, to: `ctenar${messageId}@example.org` };
    void relays
      .send({ className: 'bulk', lane: 'normal', message: body as Buffer, envelope })
      .then(({ kind }) => {
        if (kind !== 'sent') return all.reject(new Error(kind));
        consuming.basicAck({ deliveryTag });
        if (++sent % 100 === 0 || sent === mails) watch.look(sent);
        if (sent === mails) all.resolve();
      });
  });
  await all.promise;
  const { cpu, ownCpu, peakRssMb } = costSince(before, servers, 0);
  await relays.close();
  await consuming.close();
  await channel.queueDelete(queue);
  await channel.close();
  await connection.close();
  return { mails, sent: watch.rates(), cpu, ownCpu, peakRssMb };
}
