import type { Channel } from 'rabbitmq-client';
import { PismakError } from '../../errors.ts';
import { type RabbitLink, serverCode } from './link.ts';
import { deadQueue, delayQueue, delaySteps, fitsName, laneQueue } from './names.ts';

/**
 * The server's own count is a backstop against messages that end a process before it can charge them: it counts looks and
 * lost prefetched messages too. A number, because 4.x has a limit of 20 where none is given.
 */
const deliveryLimit = 10_000;
const noLimit = 2_000_000_000;

/** Creates what a queue of ours is on the server. Repeating it changes nothing. */
export async function createQueues(link: RabbitLink, queue: string): Promise<void> {
  const deadLetters = { 'x-dead-letter-routing-key': deadQueue(queue), 'x-delivery-limit': deliveryLimit };
  await createQuorumQueue(link, deadQueue(queue), { 'x-delivery-limit': noLimit });
  for (const lane of ['high', 'normal'] as const) {
    await createQuorumQueue(link, laneQueue(queue, lane), { ...toDefaultExchange, ...deadLetters });
  }
}

/** Messages leave it when their time is over, to the lane that their routing key names. */
export async function createDelayQueue(link: RabbitLink, queue: string, step: number): Promise<void> {
  const name = delayQueue(queue, step);
  await createQuorumQueue(link, name, { ...toDefaultExchange, 'x-delivery-limit': noLimit });
  await link.use(async (channel) => {
    await channel.exchangeDeclare({ exchange: name, type: 'fanout', durable: true });
    await channel.queueBind({ queue: name, exchange: name, routingKey: '' });
  });
}

/** Dead-lettering that waits for the confirm of the next queue, else a node's death between the two loses the message. */
const toDefaultExchange = {
  'x-dead-letter-exchange': '',
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
};

async function createQuorumQueue(
  link: RabbitLink,
  queue: string,
  settings: Record<string, string | number>,
): Promise<void> {
  const request = { queue, durable: true, arguments: { 'x-queue-type': 'quorum' as const, ...settings } };
  try {
    await link.use((channel) => channel.queueDeclare(request));
  } catch (error) {
    if (serverCode(error) !== 'PRECONDITION_FAILED') throw error;
    const text = `RabbitMQ has a queue ${queue} of another kind. Others may publish to it, but must not create it: delete it, or choose another name.`;
    throw new PismakError('conflict', text, { cause: error });
  }
}

/** Deletes it with all that is in it. The delays go first: nothing may come back to a queue that is gone. */
export async function deleteQueues(link: RabbitLink, queue: string): Promise<void> {
  await link.use(async (channel) => {
    for (let step = 0; step < delaySteps; step++) {
      await channel.queueDelete({ queue: delayQueue(queue, step) });
      await channel.exchangeDelete({ exchange: delayQueue(queue, step) });
    }
    for (const lane of ['high', 'normal'] as const) await channel.queueDelete(laneQueue(queue, lane));
    await channel.queueDelete(deadQueue(queue));
  });
}

/** Whether the server knows the name, whoever made the queue. */
export async function queueExists(link: RabbitLink, queue: string): Promise<boolean> {
  if (!fitsName(queue)) return false;
  try {
    await link.use((channel) => countReady(channel, queue));
    return true;
  } catch (error) {
    if (serverCode(error) === 'NOT_FOUND') return false;
    throw error;
  }
}

/** How many messages are ready in a queue of the server. */
export async function countReady(channel: Channel, queue: string): Promise<number> {
  return (await channel.queueDeclare({ queue, passive: true })).messageCount;
}
