import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import { eventually } from '../../testing/eventually.ts';
import { type Gate, openGate } from '../../testing/servers/gate.ts';
import { sharedRabbit } from '../../testing/servers/shared.ts';
import { ManualClock, systemClock } from '../../time/clock.ts';
import type { Delivery } from '../broker.ts';
import { openRabbitBroker } from '../rabbitmq.ts';
import { numbered, publishAll } from '../testing/contract/scene.ts';
import { readAddress } from './address.ts';
import { RabbitConnection } from './connection.ts';
import { Publisher } from './publisher.ts';
import { countReady } from './server-queues.ts';

let cluster: Awaited<ReturnType<typeof sharedRabbit>>;
before(async () => {
  cluster = await sharedRabbit();
});
after(() => cluster.close());

test('closing a channel ends even if the connection is lost meanwhile', async (t) => {
  const { url } = await cluster.createHost();
  const { gate, url: through } = await gateBefore(t, url);
  const connection = new RabbitConnection(
    (settings) => new Connection(settings),
    await readAddress(through),
    'test',
    systemClock,
  );
  t.after(() => connection.close());
  await connection.connected();
  const used = connection.withChannel(async (channel) => {
    gate.shut();
    // A request that is still unanswered when the channel closes.
    channel.queueDeclare({ queue: 'nobody' }).catch(() => {});
    setImmediate(() => {
      gate.cut();
      gate.open();
    });
  });
  await used;
  await eventually('it serves again', () => connection.withChannel(async () => true));
});

test('when the connection is cut again and again, no message is lost or stuck', async (t) => {
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
    await eventually('messages flow again', () => settled.size > before + 50);
    gate.cut();
  }
  await sending;
  await eventually('all were handled', () => handled.size === all.length).catch(async (error) => {
    throw new Error(`${error}: ${handled.size}; ${JSON.stringify(await producer.status('letters'))}`);
  });
  await eventually('nothing is in hand', async () => (await broker.status('letters')).inFlight === 0);
  assert.deepEqual(handled, new Set(all));
});

for (const others of ['no others are', 'others are']) {
  test(`a message without a confirm is sent again while ${others} confirmed`, async (t) => {
    const { url, name: host } = await cluster.createHost();
    const clock = new ManualClock();
    const address = await readAddress(url);
    const connection = new RabbitConnection((settings) => new Connection(settings), address, 'test', clock);
    await connection.connected();
    const publisher = new Publisher(connection, clock);
    t.after(async () => {
      await publisher.close();
      await connection.close();
    });
    const stream = { 'x-queue-type': 'stream' as const };
    for (const queue of ['notes', 'others'])
      await connection.withChannel((channel) =>
        channel.queueDeclare({ queue, durable: true, arguments: stream }),
      );
    const send = (queue: string) =>
      publisher.send(queue, '', { routingKey: queue, durable: true }, Buffer.from('hello'));
    await send('notes');
    const tell = (verb: 'suspend' | 'resume') => {
      const found = `rabbit_amqqueue:lookup(rabbit_misc:r(<<"${host}">>, queue, <<"notes">>))`;
      return cluster.nodes[0]?.control('eval', `{ok, Q} = ${found}, sys:${verb}(amqqueue:get_pid(Q)).`);
    };
    await tell('suspend');
    const sent = send('notes');
    let isConfirmed = false;
    void sent.then(() => {
      isConfirmed = true;
    });
    // Enough time to give up on the message and send it again.
    for (let seconds = 0; seconds < 15; seconds++) {
      clock.advance(1000);
      await wait(50);
      if (others === 'others are') await send('others');
    }
    assert.equal(isConfirmed, false);
    await tell('resume');
    await sent;
    // The first one, and the other twice: we promise at least once.
    const count = () => connection.withChannel((channel) => countReady(channel, 'notes'));
    await eventually('all are there', async () => (await count()) === 3);
  });
}

async function gateBefore(t: TestContext, url: string): Promise<{ gate: Gate; url: string }> {
  const { host } = new URL(url);
  const [hostname = '', port] = host.split(':');
  const gate = await openGate({ host: hostname, port: Number(port) });
  t.after(() => gate.close());
  return { gate, url: url.replace(host, gate.address) };
}
