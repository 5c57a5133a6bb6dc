import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RabbitCluster, startRabbitCluster } from '../../testing/servers/rabbitmq.ts';
import { systemClock } from '../../time/clock.ts';
import type { Broker } from '../broker.ts';
import { openRabbitBroker } from '../rabbitmq.ts';
import { bytes, drain, idsOf, numbered, publishAll, takeOne } from '../testing/contract/scene.ts';

let cluster: RabbitCluster;
before(async () => {
  cluster = await startRabbitCluster();
});
after(() => cluster.close());

test('under a memory alarm publishing waits, and consuming goes on', async (t) => {
  const { url } = await cluster.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  await publishAll(broker, 'letters', numbered('m', 50));
  const watermark = (share: string) => cluster.nodes[0]?.control('set_vm_memory_high_watermark', share);
  await watermark('0.00001');
  t.after(() => watermark('0.4'));
  let confirmed = false;
  const late = broker.publish('letters', { id: 'late', body: bytes('late') }).then(() => {
    confirmed = true;
  });
  assert.deepEqual(idsOf(await drain(broker, 'letters', 50)).sort(), numbered('m', 50).sort());
  assert.equal(confirmed, false);
  await watermark('0.4');
  await late;
  assert.equal((await takeOne(broker, 'letters')).id, 'late');
});

test('under a disk alarm publishing is refused as disk-full, consuming goes on, and both recover', async (t) => {
  const { url } = await cluster.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  await publishAll(broker, 'letters', numbered('m', 5));
  const limit = (bytes: string) => cluster.nodes[0]?.control('set_disk_free_limit', bytes);
  await limit('1000000GB');
  t.after(() => limit('50MB'));
  // The server says so only to a connection that publishes, and looks at its disk now and then.
  const sent: Promise<string[]>[] = [];
  await eventually('the alarm is known', () => {
    const id = `sent${sent.length}`;
    sent.push(
      broker.publish('letters', { id, body: bytes(id) }).then(
        () => [id],
        () => [],
      ),
    );
    return broker.probe?.().then(
      () => false,
      () => true,
    );
  });
  const refused = broker.publish('letters', { id: 'refused', body: bytes('refused') });
  await assert.rejects(refused, (error) => hasCode(error, 'disk-full'));
  assert.deepEqual(idsOf(await drain(broker, 'letters', 5)).sort(), numbered('m', 5).sort());
  await limit('50MB');
  const confirmed = (await Promise.all(sent)).flat();
  await broker.probe?.();
  await broker.publish('letters', { id: 'next', body: bytes('next') });
  const ids = [...confirmed, 'next'];
  assert.deepEqual(idsOf(await drain(broker, 'letters', ids.length)).sort(), ids.sort());
});

test('kill -9 of the node we are connected to loses no confirmed message', async (t) => {
  const { url, name } = await cluster.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  const confirmed: string[] = [];
  const lost: unknown[] = [];
  let going = true;
  let longestGapMs = 0;
  const send = async (sender: string) => {
    for (let sent = 0; going; sent++) {
      const began = performance.now();
      const id = `${sender}-${sent}`;
      await broker.publish('letters', { id, body: bytes(id) }).then(
        () => confirmed.push(id),
        (error) => {
          lost.push(error);
          going = false;
        },
      );
      longestGapMs = Math.max(longestGapMs, performance.now() - began);
    }
  };
  const received = new Set<string>();
  const consumer = await broker.consume('letters', { concurrency: 10 }, async (delivery) => {
    received.add(delivery.id);
    await delivery.ack();
  });
  const sending = Promise.all(numbered('sender', 10).map(send));
  const node = await eventually('we know our node', () => nodeOf(name, 'pismak publish'));
  await eventually('messages flow', () => received.size > 300);
  const before = confirmed.length;
  await node.kill();
  await eventually('messages flow again', () => confirmed.length > before + 500);
  going = false;
  await sending;
  await eventually('all have come', () => confirmed.every((id) => received.has(id)));
  await consumer.close();
  t.diagnostic(`${confirmed.length} confirmed, longest wait for a confirm ${Math.round(longestGapMs)} ms`);
  assert.deepEqual(lost, []);
  await node.start();
});

async function openOne(t: TestContext, url: string): Promise<Broker> {
  const broker = await openRabbitBroker({ url, clock: systemClock });
  t.after(() => broker.close());
  return broker;
}

/** The node that serves the connection with this name. */
async function nodeOf(host: string, connection: string) {
  const all = (await cluster.manage('GET', '/connections')) as {
    vhost: string;
    node: string;
    client_properties?: { connection_name?: string };
  }[];
  const found = all.find(
    (one) => one.vhost === host && one.client_properties?.connection_name === connection,
  );
  return cluster.nodes.find((node) => node.name === found?.node);
}
