import type { Channel } from 'rabbitmq-client';
import { PismakError } from '../../errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import type { Incoming } from './message.ts';
import { countReady } from './server-queues.ts';

const mostInHand = 100_000;
const visibleMs = 500;
/** The server's channel holds back acks beyond 32 messages at once, and drops them when it closes. */
export const atOnce = 24;

/**
 * The server cannot look into a queue, so we take messages and give them back. They keep their order only if we take all
 * that were given back earlier too. Those come first and are marked, so we go on to the first unmarked one.
 */
export async function takeFirst(channel: Channel, queue: string, atLeast: number): Promise<Incoming[]> {
  const taken: Incoming[] = [];
  while (taken.length < atLeast || taken.at(-1)?.redelivered) {
    const message = await channel.basicGet({ queue });
    if (!message) break;
    taken.push(message);
    if (taken.length > mostInHand) {
      throw new PismakError(
        'too-large',
        `RabbitMQ can show only the first ${mostInHand} messages of ${queue}. Ask for fewer.`,
      );
    }
  }
  return taken;
}

/** Puts messages back in front and waits until the queue shows them: the server only does so eventually. */
export async function giveBack(
  channel: Channel,
  queue: string,
  messages: readonly { deliveryTag: number }[],
  clock: Clock,
): Promise<void> {
  if (messages.length === 0 || !channel.active) return;
  let ready = await countReady(channel, queue);
  for (let start = 0; start < messages.length; start += atOnce) {
    const some = messages.slice(start, start + atOnce);
    for (const { deliveryTag } of some) channel.basicNack({ deliveryTag, requeue: true });
    ready += some.length;
    // Another consumer may take them at once, so don't insist.
    const end = clock.now() + visibleMs;
    while ((await countReady(channel, queue)) < ready && clock.now() < end) await sleep(clock, 2);
  }
}

/**
 * Goes through the waiting messages, a few at a time. `settle` handles one and says whether to delete it; the others are
 * given back. Resolves to the number deleted.
 */
export async function sift(
  channel: Channel,
  queue: string,
  clock: Clock,
  settle: (message: Incoming) => Promise<boolean>,
): Promise<number> {
  const others: Incoming[] = [];
  let deleted = 0;
  let left = await countReady(channel, queue);
  while (left > 0) {
    const some: Incoming[] = [];
    while (left > 0 && some.length < atOnce) {
      const message = await channel.basicGet({ queue });
      left = message ? left - 1 : 0;
      if (message) some.push(message);
    }
    const results = await Promise.allSettled(some.map(settle));
    for (const [index, message] of some.entries()) {
      const result = results[index];
      if (result?.status !== 'fulfilled' || !result.value) others.push(message);
      else {
        channel.basicAck({ deliveryTag: message.deliveryTag });
        deleted++;
      }
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
  await passOn(channel, queue);
  await giveBack(channel, queue, others, clock);
  return deleted;
}

/** Waits until earlier acks have reached the queue: it answers a get only after them. */
export async function passOn(channel: Channel, queue: string): Promise<void> {
  const message = await channel.basicGet({ queue });
  if (message) channel.basicNack({ deliveryTag: message.deliveryTag, requeue: true });
}
