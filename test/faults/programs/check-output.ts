/**
 * The checker: knows nothing of the system but its wire format. Reads the output queue with a plain AMQP client and says each
 * message as a line of JSON. Told `put back`, it publishes them all again, each as often as it came, and ends.
 */
import { createInterface } from 'node:readline';
import { Connection } from 'rabbitmq-client';
import { readAddress } from '../../../src/engine/broker/rabbitmq/address.ts';
import { decodeRequest } from '../../../src/engine/request/request.ts';
import type { Arrival } from '../work.ts';

const [url = '', queue = ''] = process.argv.slice(2);
const bodies: Buffer[] = [];
const connection = new Connection({
  ...(await readAddress(url)),
  heartbeat: 10,
  retryLow: 100,
  retryHigh: 1000,
  noDelay: true,
});
connection.on('error', () => {});
const consumer = connection.createConsumer(
  { queue, queueOptions: { passive: true }, qos: { prefetchCount: 200 } },
  async (message) => {
    const body: Buffer = message.body;
    bodies.push(body);
    const { uuid, logs } = decodeRequest(body);
    const failed = logs.some((log) => log.status !== 'OK');
    const arrival: Arrival = { uuid, at: Date.now(), failed, redelivered: message.redelivered };
    process.stdout.write(`${JSON.stringify(arrival)}\n`);
  },
);
consumer.on('error', () => {});

for await (const line of createInterface({ input: process.stdin })) if (line === 'put back') await putBack();
process.exit();

async function putBack(): Promise<void> {
  await consumer.close();
  const publisher = connection.createPublisher({ confirm: true, maxAttempts: 10 });
  const envelope = { routingKey: queue, durable: true, mandatory: true };
  await Promise.all(bodies.map((body) => publisher.send(envelope, body)));
  process.stdout.write('done\n');
}
