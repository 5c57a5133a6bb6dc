import { type Channel, Connection } from 'rabbitmq-client';

const body = Buffer.from('mail');
const window = 1000;

/** Four raw measurements of the broker: one publisher and one consumer, messages of a few bytes, no work at all. */
export async function measureRawBroker({ broker, messages }: { broker: string; messages: number }) {
  const connections = [0, 1].map(() => new Connection({ url: broker, noDelay: true }));
  const [publishing, consuming] = await Promise.all(connections.map((each) => each.acquire()));
  if (!publishing || !consuming) throw new Error('no channels');
  const queue = 'raw';
  const fresh = async (isDurable: boolean) => {
    await publishing.queueDelete({ queue });
    const quorum = { arguments: { 'x-queue-type': 'quorum' } } as const;
    await publishing.queueDeclare({ queue, durable: isDurable, ...(isDurable && quorum) });
  };
  const perSecond = async (count: number, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return Math.round((count / (performance.now() - began)) * 1000);
  };
  try {
    await fresh(false);
    const atOnce = await perSecond(messages, () =>
      Promise.all([publish(publishing, queue, messages, false), consume(consuming, queue, messages, false)]),
    );
    const published = await perSecond(messages, async () => {
      await publish(publishing, queue, messages, false);
      // The answer to it shows that the server has them all.
      await publishing.queueDeclare({ queue, passive: true });
    });
    const consumed = await perSecond(messages, () => consume(consuming, queue, messages, false));
    await publishing.confirmSelect();
    const confirmed = await perSecond(messages, () =>
      Promise.all([publish(publishing, queue, messages, false), consume(consuming, queue, messages, true)]),
    );
    await fresh(true);
    const few = Math.ceil(messages / 4);
    const persistent = await perSecond(few, () =>
      Promise.all([publish(publishing, queue, few, true), consume(consuming, queue, few, true)]),
    );
    await publishing.queueDelete({ queue });
    return {
      'at once': atOnce,
      'published only': published,
      'consumed only': consumed,
      'at once, confirmed and acked': confirmed,
      'at once, confirmed, acked, persistent (quorum)': persistent,
    };
  } finally {
    await Promise.all([publishing.close(), consuming.close()]);
    await Promise.all(connections.map((each) => each.close()));
  }
}

async function publish(channel: Channel, queue: string, count: number, durable: boolean): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: window }, async () => {
      while (next++ < count) await channel.basicPublish({ routingKey: queue, durable }, body);
    }),
  );
}

async function consume(channel: Channel, queue: string, count: number, isAcked: boolean): Promise<void> {
  const all = Promise.withResolvers<void>();
  let seen = 0;
  await channel.basicQos({ prefetchCount: isAcked ? window : 0 });
  const { consumerTag } = await channel.basicConsume({ queue, noAck: !isAcked }, ({ deliveryTag }) => {
    if (isAcked) channel.basicAck({ deliveryTag });
    if (++seen === count) all.resolve();
  });
  await all.promise;
  await channel.basicCancel(consumerTag);
}
