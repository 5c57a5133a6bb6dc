import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import { systemClock } from '../../clock.ts';
import { eventually } from '../../testing/eventually.ts';
import { type Gate, openGate } from '../../testing/servers/gate.ts';
import { type RabbitCluster, startRabbitCluster } from '../../testing/servers/rabbitmq.ts';
import type { Delivery } from '../broker.ts';
import { numbered, publishAll } from '../contract/scene.ts';
import { openRabbitBroker } from '../rabbitmq.ts';
import { readAddress } from './address.ts';
import { RabbitLink } from './link.ts';

let cluster: RabbitCluster;
before(async () => {
  cluster = await startRabbitCluster(1);
});
after(() => cluster.close());

test('to close a channel ends, though the connection is lost meanwhile', async (t) => {
  const { url } = await cluster.createHost();
  const { gate, url: through } = await gateBefore(t, url);
  const link = new RabbitLink(
    (settings) => new Connection(settings),
    await readAddress(through),
    'test',
    systemClock,
  );
  t.after(() => link.close());
  await link.connected();
  const used = link.use(async (channel) => {
    gate.shut();
    // Asked and not answered when the channel is to be closed.
    channel.queueDeclare({ queue: 'nobody' }).catch(() => {});
    setImmediate(() => {
      gate.cut();
      gate.open();
    });
  });
  await used;
  await eventually('it serves again', () => link.use(async () => true));
});

test('when the way to the server is cut again and again, nothing is lost, and nothing is held back', async (t) => {
  const { url } = await cluster.createHost();
  const { gate, url: through } = await gateBefore(t, url);
  const producer = await openRabbitBroker({ url, clock: systemClock });
  t.after(() => producer.close());
  await producer.declare('letters');
  const broker = await openRabbitBroker({ url: through, clock: systemClock });
  t.after(() => broker.close());
  const handled = new Set<string>();
  const settled = new Set<string>();
  const handle = async (delivery: Delivery) => {
    handled.add(delivery.id);
    await wait(1);
    await delivery.ack().then(
      () => settled.add(delivery.id),
      () => {},
    );
  };
  await broker.consume('letters', { concurrency: 2, prefetch: 100 }, handle);
  const all = numbered('m', 3000);
  const sending = publishAll(producer, 'letters', all);
  for (let cuts = 0; cuts < 6; cuts++) {
    const before = settled.size;
    await eventually('it goes on', () => settled.size > before + 50, 60_000);
    gate.cut();
  }
  await sending;
  await eventually('all were handled', () => handled.size === all.length, 60_000).catch(async (error) => {
    throw new Error(`${error}: ${handled.size}; ${JSON.stringify(await producer.status('letters'))}`);
  });
  await eventually('nothing is in hand', async () => (await broker.status('letters')).inFlight === 0);
  assert.deepEqual(handled, new Set(all));
});

async function gateBefore(t: TestContext, url: string): Promise<{ gate: Gate; url: string }> {
  const { host } = new URL(url);
  const [hostname = '', port] = host.split(':');
  const gate = await openGate({ host: hostname, port: Number(port) });
  t.after(() => gate.close());
  return { gate, url: url.replace(host, gate.address) };
}
