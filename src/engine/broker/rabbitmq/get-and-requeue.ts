import type { Channel } from 'rabbitmq-client';
import { chunks } from '../../ground/chunks.ts';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import type { Incoming } from './message.ts';
import { countReady } from './server-queues.ts';

const mostUnacked = 100_000;
const visibleMs = 500;
/** Acks or nacks at once. The server's channel holds back those beyond 32 messages, and drops them when it closes. */
export const settledAtOnce = 24;

/**
 * The first messages of a queue. AMQP has no command that reads without taking, so we get messages (basic.get) and requeue
 * them. They keep their order only if we also get all that were requeued earlier. Those come first, marked as redelivered, so
 * we go on to the first that is not.
 */
export async function getFirst(channel: Channel, queue: string, atLeast: number): Promise<Incoming[]> {
  const taken: Incoming[] = [];
  while (taken.length < atLeast || taken.at(-1)?.redelivered) {
    const message = await channel.basicGet({ queue });
    if (!message) break;
    taken.push(message);
    if (taken.length > mostUnacked) {
      throw new PismakError(
        'too-large',
        `RabbitMQ can show only the first ${mostUnacked} messages of ${queue}. Ask for fewer.`,
      );
    }
  }
  return taken;
}

/** Requeues messages at the front (basic.nack), and waits until the queue counts them: the server does so eventually. */
export async function requeue(
  channel: Channel,
  queue: string,
  messages: readonly { deliveryTag: number }[],
  clock: Clock,
): Promise<void> {
  if (messages.length === 0 || !channel.active) return;
  let ready = await countReady(channel, queue);
  for (const some of chunks(messages, settledAtOnce)) {
    for (const { deliveryTag } of some) channel.basicNack({ deliveryTag, requeue: true });
    ready += some.length;
    // Another consumer may get them at once, so don't insist.
    const end = clock.now() + visibleMs;
    while ((await countReady(channel, queue)) < ready && clock.now() < end) await sleep(clock, 2);
  }
}

/**
 * Gets all waiting messages, a few at a time. `settle` handles one and says whether to ack it; the others are requeued.
 * Resolves to the number acked.
 */
export async function ackSome(
  channel: Channel,
  queue: string,
  clock: Clock,
  settle: (message: Incoming) => Promise<boolean>,
): Promise<number> {
  // Without their bodies: there may be very many.
  const others: { deliveryTag: number }[] = [];
  let acked = 0;
  let left = await countReady(channel, queue);
  while (left > 0) {
    const some: Incoming[] = [];
    while (left > 0 && some.length < settledAtOnce) {
      const message = await channel.basicGet({ queue });
      left = message ? left - 1 : 0;
      if (message) some.push(message);
    }
    const results = await Promise.allSettled(some.map(settle));
    for (const [index, message] of some.entries()) {
      const result = results[index];
      if (result?.status !== 'fulfilled' || !result.value) others.push({ deliveryTag: message.deliveryTag });
      else {
        channel.basicAck({ deliveryTag: message.deliveryTag });
        acked++;
      }
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
  await flushAcks(channel, queue);
  await requeue(channel, queue, others, clock);
  return acked;
}

/** Waits until earlier acks and nacks have reached the queue: it answers a get only after them. */
export async function flushAcks(channel: Channel, queue: string): Promise<void> {
  const message = await channel.basicGet({ queue });
  if (message) channel.basicNack({ deliveryTag: message.deliveryTag, requeue: true });
}
