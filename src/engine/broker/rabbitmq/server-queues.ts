import type { Channel } from 'rabbitmq-client';
import { PismakError } from '../../errors.ts';
import { type RabbitLink, serverCode } from './link.ts';
import { deadQueue, delayQueue, delaySteps, fitsName, laneQueue } from './names.ts';

/**
 * The server's own count is only a backstop against messages that kill a process before it can charge them: it also counts
 * looks and lost prefetched messages. It must be set: RabbitMQ 4 defaults to 20.
 */
const deliveryLimit = 10_000;
const noLimit = 2_000_000_000;

/** Creates the server queues behind one of ours. Safe to repeat. */
export async function createQueues(link: RabbitLink, queue: string): Promise<void> {
  const deadLetters = { 'x-dead-letter-routing-key': deadQueue(queue), 'x-delivery-limit': deliveryLimit };
  await createQuorumQueue(link, deadQueue(queue), { 'x-delivery-limit': noLimit });
  for (const lane of ['high', 'normal'] as const) {
    await createQuorumQueue(link, laneQueue(queue, lane), { ...toDefaultExchange, ...deadLetters });
  }
}

/** When their delay is over, messages move on to the lane that their routing key names. */
export async function createDelayQueue(link: RabbitLink, queue: string, step: number): Promise<void> {
  const name = delayQueue(queue, step);
  await createQuorumQueue(link, name, { ...toDefaultExchange, 'x-delivery-limit': noLimit });
  await link.use(async (channel) => {
    await channel.exchangeDeclare({ exchange: name, type: 'fanout', durable: true });
    await channel.queueBind({ queue: name, exchange: name, routingKey: '' });
  });
}

/** Dead-letters only after the next queue confirms; otherwise a node that dies in between loses the message. */
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
    const text = `RabbitMQ has a queue ${queue} of another kind. Delete it or choose another name. Other programs must not create it.`;
    throw new PismakError('conflict', text, { cause: error });
  }
}

/** Deletes a queue with its messages. Delays go first, so that nothing returns to a deleted queue. */
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

/** Whether the server has a queue of this name, ours or not. */
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

/** How many messages are ready in a server queue. */
export async function countReady(channel: Channel, queue: string): Promise<number> {
  return (await channel.queueDeclare({ queue, passive: true })).messageCount;
}
