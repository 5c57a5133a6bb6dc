import { randomBytes, randomInt } from 'node:crypto';
import { PismakError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { usualMaxBytes } from './checks.ts';
import { readAddress } from './rabbitmq/address.ts';
import { RabbitBroker } from './rabbitmq/broker.ts';
import { Charges } from './rabbitmq/charges.ts';
import { RabbitLink } from './rabbitmq/link.ts';
import { chargeStream, registryStream } from './rabbitmq/names.ts';
import { Publisher } from './rabbitmq/publisher.ts';
import { RecordStream } from './rabbitmq/record-stream.ts';
import { Registry } from './rabbitmq/registry.ts';
import { Shared } from './rabbitmq/shared.ts';

export interface RabbitBrokerOptions {
  /** `amqp://user:password@host1:5672,host2:5672/vhost`, or `amqps:` with `?cacertfile=` for an authority of one's own. */
  url: string;
  clock: Clock;
  /** The largest body that is accepted; 16 MiB unless told, as in RabbitMQ 4. Larger things belong to Blobs. */
  maxMessageBytes?: number;
}

/**
 * The broker at scale: quorum queues of a RabbitMQ cluster (3.10 or newer). What the server makes different:
 *
 * - Foreign producers publish to a queue by its name through the default exchange, and must not create it. Their priority
 *   from 1 up makes the high lane as soon as the message is in our hands, but it queues with the normal ones until then.
 * - What is retried goes to the end of its lane; what is released or was only prefetched comes back in front.
 * - Looking (peek, dead letters, the age in the status) takes messages for a moment, and the server counts that.
 * - `inFlight` is what this process has in hand. A bound is exact for one publishing process, and unknown to foreign ones.
 * - A handler must be done within the server's `consumer_timeout` (30 minutes unless set), else its message comes again;
 *   stages that may take longer are refused (`rabbitmq.consumerTimeoutMs`). So it does when the connection is lost.
 * - A delay is at most 49 days.
 *
 *     const broker = await openRabbitBroker({ url: 'amqp://pismak:secret@a,b,c/', clock: systemClock });
 */
export async function openRabbitBroker(options: RabbitBrokerOptions): Promise<Broker> {
  const { clock } = options;
  const address = await readAddress(options.url);
  // Each process begins with another server, else all would be with the first one.
  const first = randomInt(address.hosts.length);
  address.hosts.push(...address.hosts.splice(0, first));
  const { Connection } = await loadClient();
  const links = ['publish', 'consume'].map(
    (purpose) => new RabbitLink((settings) => new Connection(settings), address, purpose, clock),
  );
  const [publishing, consuming] = links;
  if (!publishing || !consuming) throw new PismakError('internal', 'No connections were made.');
  const publisher = new Publisher(publishing, clock);
  const closeLinks = async () => {
    await publisher.close();
    await Promise.all(links.map((link) => link.close()));
  };
  try {
    await Promise.all(links.map((link) => link.connected()));
    const queues = new RecordStream(registryStream, publisher, consuming, clock);
    const attempts = new RecordStream(chargeStream, publisher, consuming, clock);
    await queues.declare();
    await attempts.declare({ 'x-max-age': '7D', 'x-stream-max-segment-size-bytes': 50_000_000 });
    const registry = new Registry(queues, consuming, clock, (queue) => broker.changed(queue));
    const charges = new Charges(attempts, clock);
    const lifePrefix = `${randomBytes(9).toString('base64url')}-`;
    const shared = new Shared({ clock, link: consuming, charges, registry, publisher, lifePrefix });
    const broker = new RabbitBroker(shared, options.maxMessageBytes ?? usualMaxBytes, closeLinks);
    await registry.open();
    return broker;
  } catch (error) {
    await closeLinks();
    throw error;
  }
}

async function loadClient() {
  try {
    return await import('rabbitmq-client');
  } catch (cause) {
    const text = 'The package rabbitmq-client is missing: npm install rabbitmq-client';
    throw new PismakError('configuration-invalid', text, { cause });
  }
}
