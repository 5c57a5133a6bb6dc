import { randomBytes, randomInt } from 'node:crypto';
import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { usualMaxBytes } from './checks.ts';
import { readAddress } from './rabbitmq/address.ts';
import { RabbitBroker } from './rabbitmq/broker.ts';
import { Charges } from './rabbitmq/charges.ts';
import { RabbitConnection } from './rabbitmq/connection.ts';
import { chargeStream, registryStream } from './rabbitmq/names.ts';
import { Publisher } from './rabbitmq/publisher.ts';
import { RecordStream } from './rabbitmq/record-stream.ts';
import { Registry, registryLimits } from './rabbitmq/registry.ts';
import { Shared } from './rabbitmq/shared.ts';

export interface RabbitBrokerOptions {
  /** `amqp://user:password@host1:5672,host2:5672/vhost`, or `amqps:` with `?cacertfile=` for a private authority. */
  url: string;
  clock: Clock;
  /** Limit on the body. Default: 16 MiB, as in RabbitMQ 4. Larger content belongs in blobs. */
  maxMessageBytes?: number;
}

/**
 * The broker at scale: quorum queues of a RabbitMQ cluster (3.10 or newer). It differs from the other adapters:
 *
 * - Foreign producers publish to a queue by its name through the default exchange, and must not create it. A priority of 1
 *   or more puts their message into the high lane once we hold it, but until then it queues with the normal ones.
 * - A retried message goes to the end of its lane; a released or prefetched one returns to the front.
 * - Browsing (peek, dead letters, the age in the status) gets and requeues messages, and the server counts that.
 * - `inFlight` counts the messages of this process. The limit is exact for one publishing process; foreign ones ignore it.
 * - A handler must finish within the server's `consumer_timeout` (30 minutes by default), else its message is delivered
 *   again, as it is when the connection is lost. Stages that may take longer are refused (`rabbitmq.consumerTimeoutMs`).
 * - A delay is at most 49 days.
 *
 *     const broker = await openRabbitBroker({ url: 'amqp://pismak:secret@a,b,c/', clock: systemClock });
 */
export async function openRabbitBroker(options: RabbitBrokerOptions): Promise<Broker> {
  const { clock } = options;
  const address = await readAddress(options.url);
  // Start with a random server, so that not all processes use the first.
  const first = randomInt(address.hosts.length);
  address.hosts.push(...address.hosts.splice(0, first));
  const { Connection } = await loadClient();
  const connections = ['publish', 'consume'].map(
    (purpose) => new RabbitConnection((settings) => new Connection(settings), address, purpose, clock),
  );
  const [publishing, consuming] = connections;
  if (!publishing || !consuming)
    throw new PismakError('internal', 'The connections to RabbitMQ were not created.');
  const publisher = new Publisher(publishing, clock);
  const closeConnections = async () => {
    await publisher.close();
    await Promise.all(connections.map((connection) => connection.close()));
  };
  try {
    await Promise.all(connections.map((connection) => connection.connected()));
    const queues = new RecordStream(registryStream, publisher, consuming, clock);
    const attempts = new RecordStream(chargeStream, publisher, consuming, clock);
    await queues.declare(registryLimits);
    await attempts.declare({ 'x-max-age': '7D', 'x-stream-max-segment-size-bytes': 50_000_000 });
    const registry = new Registry(queues, consuming, clock, (queue) => broker.changed(queue));
    const charges = new Charges(attempts, clock);
    const publishIdPrefix = `${randomBytes(9).toString('base64url')}-`;
    const shared = new Shared({
      clock,
      connection: consuming,
      charges,
      registry,
      publisher,
      publishIdPrefix,
    });
    const broker = new RabbitBroker(shared, options.maxMessageBytes ?? usualMaxBytes, closeConnections);
    await registry.open();
    return broker;
  } catch (error) {
    await closeConnections();
    throw error;
  }
}

/** Connects and leaves again; creates nothing. Fails as opening the broker would. */
export async function reachRabbit(url: string, clock: Clock, patienceMs: number): Promise<void> {
  const { Connection } = await loadClient();
  const address = await readAddress(url);
  const connection = new RabbitConnection((settings) => new Connection(settings), address, 'check', clock);
  try {
    await connection.connected(patienceMs);
  } finally {
    await connection.close();
  }
}

async function loadClient() {
  try {
    return await import('rabbitmq-client');
  } catch (cause) {
    const text = 'The package rabbitmq-client is missing. Run npm install rabbitmq-client.';
    throw new PismakError('configuration-invalid', text, { cause });
  }
}
