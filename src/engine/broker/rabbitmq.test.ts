import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import { hasCode } from '../ground/errors.ts';
import { eventually } from '../testing/eventually.ts';
import { sharedRabbit } from '../testing/servers/shared.ts';
import { systemClock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { readAddress } from './rabbitmq/address.ts';
import { RabbitConnection } from './rabbitmq/connection.ts';
import { Publisher } from './rabbitmq/publisher.ts';
import { RecordStream } from './rabbitmq/record-stream.ts';
import { foreignChannel } from './rabbitmq/testing/foreign-channel.ts';
import { openRabbitBroker } from './rabbitmq.ts';
import { bytes, drain, idsOf, numbered, publishAll, takeOne, text } from './testing/contract/scene.ts';
import { brokerContract } from './testing/contract.ts';

let server: Awaited<ReturnType<typeof sharedRabbit>>;
before(async () => {
  server = await sharedRabbit();
});
after(() => server.close());

brokerContract('RabbitMQ', async () => {
  const { url } = await server.createHost();
  const module = new URL('./rabbitmq.ts', import.meta.url);
  return {
    open: (options) => openRabbitBroker({ url, clock: systemClock, ...options }),
    now: () => systemClock.now(),
    // The test does not wait for hours: the server promises that a message stays with its handler.
    pass: (ms) => wait(Math.min(ms, 2000)),
    process: { module, factory: 'openRabbitBroker', options: { url } },
    keepsPlaces: false,
    isRealTime: true,
  };
});

test('with amqps everything is encrypted, and the server needs a certificate of a trusted authority', async (t) => {
  const { tlsUrl } = await server.createHost();
  const broker = await openOne(t, `${tlsUrl}?cacertfile=${server.certificates.authority}`);
  await broker.declare('letters');
  await publishAll(broker, 'letters', ['one']);
  assert.equal((await takeOne(broker, 'letters')).id, 'one');
  await assert.rejects(openRabbitBroker({ url: tlsUrl, clock: systemClock }), (error) => {
    return hasCode(error, 'unavailable') && /certificate/.test(error.message);
  });
});

test('wrong credentials are refused, and the error does not repeat them', async () => {
  const { url } = await server.createHost();
  const wrong = url.replace(/:[^:@]+@/, ':not-the-password@');
  await assert.rejects(openRabbitBroker({ url: wrong, clock: systemClock }), (error) => {
    assert.doesNotMatch(JSON.stringify(error) + String(error), /not-the-password/);
    return hasCode(error, 'unavailable') && /ACCESS_REFUSED|[Ll]ogin was refused/.test(error.message);
  });
});

test('a foreign producer publishes by queue name, and its priority selects the lane', async (t) => {
  const { url } = await server.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  const foreign = await foreignChannel(t, url);
  await foreign.basicPublish({ routingKey: 'letters', durable: true }, Buffer.from([0, 255, 1]));
  await foreign.basicPublish({ routingKey: 'letters', durable: true, priority: 1 }, Buffer.from('urgent'));
  const [low, high] = await drain(broker, 'letters', 2);
  assert.deepEqual(
    [low?.lane, low?.attempt, Buffer.from(low?.body ?? [])],
    ['normal', 1, Buffer.from([0, 255, 1])],
  );
  assert.deepEqual([high?.lane, text(high?.body ?? bytes(''))], ['high', 'urgent']);
  await foreign.basicPublish({ routingKey: 'letters', durable: true }, Buffer.from('again'));
  const first = await takeOne(broker, 'letters', (delivery) =>
    delivery.retry({ delayMs: 0, reason: 'busy' }),
  );
  const second = await takeOne(broker, 'letters');
  assert.deepEqual([second.id, second.attempt, text(second.body)], [first.id, 2, 'again']);
});

test('messages that the server itself takes out of a queue become dead letters', async (t) => {
  const { url } = await server.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  await publishAll(broker, 'letters', ['one']);
  const foreign = await foreignChannel(t, url);
  const message = await foreign.basicGet('letters');
  foreign.basicNack({ deliveryTag: message?.deliveryTag ?? 0, requeue: false });
  const [letter] = await eventually('it is dead', async () => {
    const dead = await broker.dead('letters');
    return dead.length > 0 && dead;
  });
  assert.equal(letter?.id, 'one');
  assert.match(letter?.history[0]?.reason ?? '', /RabbitMQ.*rejected/);
  assert.equal(await broker.redrive('letters'), 1);
  assert.equal((await takeOne(broker, 'letters')).id, 'one');
});

test('a queue that another program created with other options is reported as a conflict', async (t) => {
  const { url } = await server.createHost();
  const broker = await openOne(t, url);
  const foreign = await foreignChannel(t, url);
  await foreign.queueDeclare({ queue: 'letters', durable: true });
  await assert.rejects(
    broker.declare('letters'),
    (error) =>
      hasCode(error, 'conflict') && /refuses the queue letters: .* of another kind/.test(error.message),
  );
});

test('a queue paused by one process is paused for the consumers of all processes', async (t) => {
  const { url } = await server.createHost();
  const [one, other] = [await openOne(t, url), await openOne(t, url)];
  await one.declare('letters');
  const started: string[] = [];
  // Enough messages for the server to send some ahead.
  const consumer = await one.consume('letters', { concurrency: 2 }, async (delivery) => {
    started.push(delivery.id);
    await delivery.ack();
  });
  await publishAll(other, 'letters', numbered('m', 30));
  await eventually('all are done', () => started.length === 30);
  await other.pause('letters');
  await eventually('the pause arrives', async () => (await one.status('letters')).paused);
  await publishAll(other, 'letters', ['late']);
  assert.deepEqual(idsOf(await one.peek('letters')), ['late']);
  assert.equal(started.length, 30);
  await other.resume('letters');
  await eventually('it is started', () => started.at(-1) === 'late');
  await consumer.close();
});

test('a queue change that is resent late does not undo later changes', async (t) => {
  const { url } = await server.createHost();
  const broker = await openOne(t, url);
  await broker.declare('letters');
  const foreign = await foreignChannel(t, url);
  const record = async (paused: boolean, marker: string) => {
    const body = Buffer.from(JSON.stringify({ queue: 'letters', paused, marker }));
    await foreign.basicPublish({ routingKey: 'pismak.queues', durable: true }, body);
  };
  await record(true, 'first');
  await eventually('the change arrives', async () => (await broker.status('letters')).paused);
  await record(false, 'second');
  await record(true, 'first');
  // When this is known, everything before it is known.
  await broker.declare('another');
  assert.equal((await broker.status('letters')).paused, false);
});

test('an interrupted read of the record stream fails and does not end the process', async (t) => {
  const address = await readAddress((await server.createHost()).url);
  const openLink = async () => {
    const connection = new RabbitConnection(
      (settings) => new Connection(settings),
      address,
      'test',
      systemClock,
    );
    t.after(() => connection.close());
    await connection.connected();
    return connection;
  };
  const [publishing, reading] = [await openLink(), await openLink()];
  const stream = new RecordStream(
    'pismak.test',
    new Publisher(publishing, systemClock),
    reading,
    systemClock,
  );
  await stream.declare();
  await publishing.close();
  // An unhandled rejection would fail this test.
  await assert.rejects(
    stream.read('first', () => {}),
    (error) => hasCode(error, 'unavailable'),
  );
});

async function openOne(t: TestContext, url: string): Promise<Broker> {
  const broker = await openRabbitBroker({ url, clock: systemClock });
  t.after(() => broker.close());
  return broker;
}
