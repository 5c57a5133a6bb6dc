import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { foreignLaneOf } from '../../request/foreign-lane.ts';
import { encodeRequest, newRequest } from '../../request/request.ts';
import { eventually } from '../../testing/eventually.ts';
import { sharedRabbit } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import type { Broker, Lane } from '../broker.ts';
import { openRabbitBroker } from '../rabbitmq.ts';
import { foreignChannel } from './testing/foreign-channel.ts';

let cluster: Awaited<ReturnType<typeof sharedRabbit>>;
before(async () => {
  cluster = await sharedRabbit();
});
after(() => cluster.close());

async function setUp(t: TestContext) {
  const { url } = await cluster.createHost();
  const broker = await openRabbitBroker({ url, clock: systemClock });
  t.after(() => broker.close());
  return { broker, foreign: await foreignProgram(t, url) };
}

test('a request that another program sends with priority overtakes those that wait in the first queue', async (t) => {
  const { broker, foreign } = await setUp(t);
  await broker.declare('ocr', { hasInbox: true });
  for (let number = 0; number < 20; number++) await foreign('ocr', `waits-${number}`);
  await foreign('ocr', 'amqp', { priority: 3 });
  await foreign('ocr', 'field', { field: 1 });
  assert.equal((await broker.status('ocr')).ready.normal, 22, 'they count before a worker comes');
  assert.equal((await broker.peek('ocr', { limit: 50 })).length, 22);
  const order = await processed(broker, 'ocr', 22);
  // Any of them may be the first: it starts before the others are sorted.
  assert.deepEqual(
    order
      .slice(0, 3)
      .filter((each) => each.endsWith('high'))
      .toSorted(),
    ['amqp high', 'field high'],
  );
  assert.deepEqual(
    order.filter((each) => each.endsWith('normal')),
    Array.from({ length: 20 }, (_, number) => `waits-${number} normal`),
  );
});

test('a stage may refuse priority to other programs, and a negative one is none', async (t) => {
  const { broker, foreign } = await setUp(t);
  await broker.declare('ocr', { hasInbox: true });
  await foreign('ocr', 'amqp', { priority: 1 });
  await foreign('ocr', 'field', { field: 1 });
  assert.deepEqual(await processed(broker, 'ocr', 2, false), ['amqp normal', 'field normal']);
  await foreign('ocr', 'negative', { field: 2 ** 32 - 1 });
  assert.deepEqual(await processed(broker, 'ocr', 1), ['negative normal']);
});

test('a queue gets its inbox later, and what waited in it is not lost', async (t) => {
  const { broker, foreign } = await setUp(t);
  await broker.declare('ocr');
  const request = newRequest({ uuid: 'ours', stages: ['ocr', 'out'], files: [], startedAt: 1 });
  await broker.publish('ocr', { id: 'ours/2', body: encodeRequest(request), headers: { from: 'us' } });
  await foreign('ocr', 'theirs');
  await broker.declare('ocr', { hasInbox: true });
  await broker.declare('ocr');
  assert.deepEqual(await processed(broker, 'ocr', 2), ['ours normal', 'theirs normal']);
  await broker.remove('ocr');
  assert.deepEqual(await broker.status(), []);
});

/** Takes the messages one by one, the second only when all are sorted; resolves to their uuids and lanes. */
async function processed(
  broker: Broker,
  queue: string,
  count: number,
  foreignPriority = true,
): Promise<string[]> {
  const order: string[] = [];
  const sorted = () =>
    eventually('they are sorted', async () => {
      const { ready } = await broker.status(queue);
      const lanes = (await broker.peek(queue, { limit: 100 })).map(({ lane }) => lane);
      return ready.high + ready.normal === count - 1 && isSorted(lanes, ready.high);
    });
  const consumer = await broker.consume(
    queue,
    { concurrency: 1, prefetch: 1, foreignLane: foreignLaneOf({ foreignPriority }) },
    async (delivery) => {
      order.push(`${uuidOf(delivery.body)} ${delivery.lane}`);
      if (order.length === 1) await sorted();
      await delivery.ack();
    },
  );
  await eventually('all are processed', async () => order.length === count);
  await consumer.close();
  return order;
}

/** No message that asks for priority is left among the others. */
function isSorted(lanes: readonly Lane[], high: number): boolean {
  return lanes.filter((lane) => lane === 'high').length === high;
}

function uuidOf(body: Uint8Array): string {
  // The first field: its tag, its length, its text.
  return Buffer.from(body.subarray(2, 2 + (body[1] ?? 0))).toString();
}

/** Publishes as a program that knows nothing of Pismak. */
async function foreignProgram(t: TestContext, url: string) {
  const channel = await foreignChannel(t, url);
  return async (queue: string, uuid: string, { priority = 0, field = 0 } = {}) => {
    const request = newRequest({
      uuid,
      stages: [queue, 'out'],
      files: [],
      startedAt: 1,
      acceptsReferences: false,
    });
    request.priority = field;
    await channel.basicPublish(
      { routingKey: queue, durable: true, priority },
      Buffer.from(encodeRequest(request)),
    );
  };
}
