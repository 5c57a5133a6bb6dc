import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Connection } from 'rabbitmq-client';
import { sharedRabbit } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import { readAddress } from './address.ts';
import { RabbitConnection } from './connection.ts';
import { Publisher } from './publisher.ts';
import { QueueBook } from './queue-book.ts';
import { RecordStream } from './record-stream.ts';
import { Registry } from './registry.ts';

let cluster: Awaited<ReturnType<typeof sharedRabbit>>;
before(async () => {
  cluster = await sharedRabbit();
});
after(() => cluster.close());

async function openStream(
  t: TestContext,
  url: string,
): Promise<{ stream: RecordStream; connection: RabbitConnection }> {
  const address = await readAddress(url);
  const connection = new RabbitConnection(
    (settings) => new Connection(settings),
    address,
    'test',
    systemClock,
  );
  await connection.connected();
  const publisher = new Publisher(connection, systemClock);
  t.after(async () => {
    await publisher.close();
    await connection.close();
  });
  const stream = new RecordStream('pismak.test', publisher, connection, systemClock);
  await stream.declare({ 'x-max-length-bytes': 20_000, 'x-stream-max-segment-size-bytes': 5_000 });
  return { stream, connection };
}

async function openRegistry(t: TestContext, url: string): Promise<Registry> {
  const { stream, connection } = await openStream(t, url);
  const registry = new Registry(stream, connection, systemClock, () => {}, 20);
  await registry.open();
  t.after(() => registry.close());
  return registry;
}

test('however often processes start, the stream stays small, and later ones know all that was ever changed', async (t) => {
  const { url } = await cluster.createHost();
  const first = await openRegistry(t, url);
  for (const queue of ['paused', 'bounded', 'removed']) await first.change({ queue });
  await first.change({ queue: 'paused', paused: true, delay: 2 });
  await first.change({ queue: 'bounded', maxLength: 7 });
  await first.change({ queue: 'removed', removed: true });
  // What each start writes.
  for (let start = 0; start < 2000; start += 20)
    await Promise.all(Array.from({ length: 20 }, () => first.sync()));

  let records = 0;
  await (await openStream(t, url)).stream.read('first', () => records++);
  assert.ok(records < 1000, `${records} records are left of 2000`);
  const late = await openRegistry(t, url);
  assert.deepEqual(late.names(), ['bounded', 'paused']);
  assert.equal(late.find('bounded')?.maxLength, 7);
  assert.deepEqual(late.find('paused'), {
    maxLength: null,
    paused: true,
    delays: new Set([2]),
    broken: null,
    hasInbox: false,
  });
  await late.change({ queue: 'paused', paused: false });
  await first.sync();
  assert.equal(first.find('paused')?.paused, false);
});

test('a snapshot tells what was before a gap, and undoes no change that came after it', () => {
  const always = () => true;
  const whole = new QueueBook();
  whole.take({ queue: 'a' }, 0, always);
  for (let place = 1; place < 100; place++) whole.take({}, place, always);
  whole.take({ queue: 'b' }, 101, always);
  const snapshot = whole.snapshot();
  const rest: [object, number][] = [
    [{ queue: 'a', paused: true }, 102],
    [{ queue: 'b', removed: true }, 103],
    [snapshot ?? {}, 104],
    [{ queue: 'c' }, 105],
  ];
  const late = new QueueBook();
  for (const [record, place] of rest) {
    whole.take(record, place, always);
    late.take(record, place, always);
  }
  assert.deepEqual(late.queues, whole.queues);
  assert.deepEqual([...late.queues.keys()].sort(), ['a', 'c']);
  assert.equal(late.queues.get('a')?.paused, true);

  const tooLate = new QueueBook();
  tooLate.take({ queue: 'a', paused: true }, 103, always);
  tooLate.take(snapshot, 104, always);
  assert.equal(tooLate.snapshot(), undefined, 'a snapshot that does not reach across the gap closes nothing');
});
