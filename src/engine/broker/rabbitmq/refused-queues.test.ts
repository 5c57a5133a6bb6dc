import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { sharedRabbit } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import type { Broker } from '../broker.ts';
import { openRabbitBroker } from '../rabbitmq.ts';
import { bytes, publishAll } from '../testing/contract/scene.ts';
import { foreignChannel } from './testing/foreign-channel.ts';

let cluster: Awaited<ReturnType<typeof sharedRabbit>>;
before(async () => {
  cluster = await sharedRabbit();
});
after(() => cluster.close());

const letter = { id: 'one', body: bytes('one') };

test('a queue that the server refuses leaves nothing behind, whichever of its parts is refused', async (t) => {
  for (const taken of ['letters', 'letters.high', 'letters.dead']) {
    const host = await openHost(t);
    await host.foreign.queueDeclare({ queue: taken, durable: true });
    await assert.rejects(
      host.broker.declare('letters'),
      (error) => hasCode(error, 'conflict') && error.message.includes(`the queue ${taken}:`),
    );
    assert.deepEqual(await host.queues(), [taken]);
    assert.deepEqual(await host.broker.status(), []);
  }
});

test('a queue kept though it is refused is broken for all processes, until a later declare succeeds', async (t) => {
  const { broker, foreign, url } = await openHost(t);
  const other = await openOne(t, url);
  await foreign.queueDeclare({ queue: 'letters', durable: true });
  await assert.rejects(broker.declare('letters', { maxLength: 5, keepIfRefused: true }), {
    code: 'conflict',
  });
  await eventually('the other process knows', () => other.refused?.().has('letters'));
  const started: string[] = [];
  const consumer = await other.consume('letters', { concurrency: 1 }, async (delivery) => {
    started.push(delivery.id);
    await delivery.ack();
  });
  t.after(() => consumer.close());
  for (const each of [broker, other]) {
    await assert.rejects(each.publish('letters', letter), { code: 'queue-broken' });
    await assert.rejects(each.peek('letters'), { code: 'queue-broken' });
    const [status] = await each.status();
    assert.match(status?.broken ?? '', /delete that queue in RabbitMQ, or choose another name/);
  }
  assert.equal((await foreign.queueDeclare({ queue: 'letters', passive: true })).messageCount, 0);

  await foreign.queueDelete('letters');
  await broker.declare('letters', { maxLength: 5, keepIfRefused: true });
  await publishAll(broker, 'letters', ['one']);
  await eventually('the consumer that waited goes on', () => started.length === 1);
  const { maxLength, broken } = await other.status('letters');
  assert.deepEqual([maxLength, broken], [5, undefined]);
});

test('removing a broken queue leaves the queue of the other program alone', async (t) => {
  const { broker, foreign, queues } = await openHost(t);
  await foreign.queueDeclare({ queue: 'letters', durable: true });
  await foreign.basicPublish({ routingKey: 'letters', durable: true }, Buffer.from('theirs'));
  await assert.rejects(broker.declare('letters', { keepIfRefused: true }), { code: 'conflict' });
  await broker.remove('letters');
  assert.deepEqual(await broker.status(), []);
  assert.deepEqual(await queues(), ['letters']);
  assert.equal((await foreign.queueDeclare({ queue: 'letters', passive: true })).messageCount, 1);
});

test('a queue that was deleted in the server is shown as broken, hides no other, and a declare brings it back', async (t) => {
  const { broker, foreign } = await openHost(t);
  await broker.declare('letters');
  await broker.declare('others');
  await foreign.queueDelete('letters.high');
  const states = (await broker.status()).map(({ name, broken }) => [name, broken !== undefined]);
  assert.deepEqual(states, [
    ['letters', true],
    ['others', false],
  ]);
  await broker.declare('letters');
  assert.equal((await broker.status('letters')).broken, undefined);
});

test('a queue that its user may not create is refused as such', async (t) => {
  const { url, name } = await cluster.createHost();
  const user = `limited-${name}`;
  await cluster.manage('PUT', `/users/${user}`, { password: 'secret', tags: '' });
  t.after(() => cluster.manage('DELETE', `/users/${user}`));
  const rights = { configure: '^pismak\\..*', write: '.*', read: '.*' };
  await cluster.manage('PUT', `/permissions/${name}/${user}`, rights);
  const broker = await openOne(t, url.replace(/\/\/[^@]*@/, `//${user}:secret@`));
  await assert.rejects(
    broker.declare('letters'),
    (error) => hasCode(error, 'conflict') && /set_permissions/.test(error.message),
  );
});

async function openOne(t: TestContext, url: string): Promise<Broker> {
  const broker = await openRabbitBroker({ url, clock: systemClock });
  t.after(() => broker.close());
  return broker;
}

/** A virtual host, our broker on it, and a program that knows only AMQP. */
async function openHost(t: TestContext) {
  const { url, name } = await cluster.createHost();
  return {
    url,
    foreign: await foreignChannel(t, url),
    broker: await openOne(t, url),
    /** All queues of the server but the streams of the registry. */
    async queues() {
      const all = (await cluster.manage('GET', `/queues/${name}`)) as { name: string }[];
      return all.map((queue) => queue.name).filter((queue) => !queue.startsWith('pismak.'));
    },
  };
}
