import type { Channel } from 'rabbitmq-client';
import { hasCode, PismakError } from '../../ground/errors.ts';
import { type RabbitConnection, serverCode } from './connection.ts';
import { deadQueue, delayQueue, delaySteps, fitsName, laneQueue } from './names.ts';

/**
 * The server's own count is only a backstop against messages that kill a process before it can charge them: it also counts
 * messages that are browsed, and lost prefetched ones. It must be set: RabbitMQ 4 defaults to 20.
 */
const deliveryLimit = 10_000;
const noLimit = 2_000_000_000;

/** Creates the server queues behind one of ours. Safe to repeat. If one is refused, none is left behind. */
export async function createQueues(
  connection: RabbitConnection,
  queue: string,
  hasInbox: boolean,
): Promise<void> {
  const wanted = queuesOf(queue, hasInbox);
  // Those that exist must be ours. Only then are the missing ones created.
  const exist = await Promise.all(
    wanted.map(([name]) => refusable(name, () => queueExists(connection, name))),
  );
  await Promise.all(
    wanted
      .filter((_, index) => exist[index])
      .map(([name, settings]) => createQuorumQueue(connection, name, settings)),
  );
  const created: string[] = [];
  try {
    for (const [name, settings] of wanted.filter((_, index) => !exist[index])) {
      await createQuorumQueue(connection, name, settings);
      created.push(name);
    }
  } catch (error) {
    if (hasCode(error, 'conflict')) await deleteUnused(connection, created);
    throw error;
  }
}

/** Dead letters first: the lanes need them. */
function queuesOf(
  queue: string,
  hasInbox: boolean,
): [name: string, settings: Record<string, string | number>][] {
  const deadLetters = { 'x-dead-letter-routing-key': deadQueue(queue), 'x-delivery-limit': deliveryLimit };
  const names = new Set([laneQueue(queue, 'high', hasInbox), laneQueue(queue, 'normal', hasInbox), queue]);
  return [
    [deadQueue(queue), { 'x-delivery-limit': noLimit }],
    ...[...names].map((name): [string, Record<string, string | number>] => [
      name,
      { ...toDefaultExchange, ...deadLetters },
    ]),
  ];
}

async function deleteUnused(connection: RabbitConnection, names: readonly string[]): Promise<void> {
  for (const queue of names) {
    // If another process uses it already, the server refuses, which is right.
    await connection
      .withChannel((channel) => channel.queueDelete({ queue, ifEmpty: true, ifUnused: true }))
      .catch(() => {});
  }
}

/** When their delay is over, messages move on to the lane that their routing key names. */
export async function createDelayQueue(
  connection: RabbitConnection,
  queue: string,
  step: number,
): Promise<void> {
  const name = delayQueue(queue, step);
  await createQuorumQueue(connection, name, { ...toDefaultExchange, 'x-delivery-limit': noLimit });
  await connection.withChannel(async (channel) => {
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

function createQuorumQueue(
  connection: RabbitConnection,
  queue: string,
  settings: Record<string, string | number>,
): Promise<unknown> {
  const request = { queue, durable: true, arguments: { 'x-queue-type': 'quorum' as const, ...settings } };
  return refusable(queue, () => connection.withChannel((channel) => channel.queueDeclare(request)));
}

const refusals: Readonly<Record<string, string>> = {
  PRECONDITION_FAILED: 'has a queue of that name that another program made, of another kind',
  RESOURCE_LOCKED: "has a queue of that name that belongs to another program's connection",
  ACCESS_REFUSED: 'does not let the user of the broker URL create it',
};

/** Waiting does not help: a refusal is a `conflict` that says what to do. */
async function refusable<T>(queue: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = String(serverCode(error));
    const why = refusals[code];
    if (!why) throw error;
    const remedy =
      code === 'ACCESS_REFUSED'
        ? 'Give that user the right to configure it (rabbitmqctl set_permissions).'
        : 'Empty and delete that queue in RabbitMQ, or choose another name.';
    const text = `RabbitMQ refuses the queue ${queue}: it ${why}. ${remedy}`;
    throw new PismakError('conflict', text, { cause: error });
  }
}

/**
 * Deletes a queue with its messages. Delays go first, so that nothing returns to a deleted queue. Queues that other
 * programs made under these names stay.
 */
export async function deleteQueues(connection: RabbitConnection, queue: string): Promise<void> {
  await connection.withChannel(async (channel) => {
    for (let step = 0; step < delaySteps; step++) {
      await channel.queueDelete({ queue: delayQueue(queue, step) });
      await channel.exchangeDelete({ exchange: delayQueue(queue, step) });
    }
  });
  for (const [name, settings] of queuesOf(queue, true).reverse()) {
    if (await isOurs(connection, name, settings))
      await connection.withChannel((channel) => channel.queueDelete(name));
  }
}

async function isOurs(
  connection: RabbitConnection,
  queue: string,
  settings: Record<string, string | number>,
): Promise<boolean> {
  try {
    if (!(await refusable(queue, () => queueExists(connection, queue)))) return false;
    await createQuorumQueue(connection, queue, settings);
    return true;
  } catch (error) {
    if (hasCode(error, 'conflict')) return false;
    throw error;
  }
}

/** Whether the server has a queue of this name, ours or not. */
export async function queueExists(connection: RabbitConnection, queue: string): Promise<boolean> {
  if (!fitsName(queue)) return false;
  try {
    await connection.withChannel((channel) => countReady(channel, queue));
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
