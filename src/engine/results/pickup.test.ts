import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { own } from '../blob-owners/blob-owners.ts';
import type { Broker } from '../broker/broker.ts';
import { hasCode } from '../ground/errors.ts';
import { newRequest, toMessage } from '../request/request.ts';
import { requestOwner } from '../request/result-files.ts';
import { type Embedded, openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { gatherDeliveries } from './gather-deliveries.ts';
import { createPickup, leaseMs, maxUnconfirmed } from './pickup.ts';

test('a result that was taken and confirmed is gone', async (t) => {
  const { pickup, publish, status, take } = await open(t);
  await publish('a');
  const [taken] = await take(10);
  assert.equal(taken?.request?.uuid, 'a');
  assert.deepEqual(await pickup.confirm([taken.receipt]), { settled: [taken.receipt], unknown: [] });
  assert.equal((await status()).inFlight, 0);
  assert.deepEqual(await take(10), []);
});

test('a receipt is good for one confirmation', async (t) => {
  const { pickup, publish, take } = await open(t);
  await publish('a');
  const [taken] = await take(1);
  const receipt = taken?.receipt ?? '';
  await pickup.confirm([receipt]);
  assert.deepEqual(await pickup.confirm([receipt, 'never given out']), {
    settled: [],
    unknown: [receipt, 'never given out'],
  });
  assert.equal(pickup.find(receipt), undefined);
});

test('a released result is there for the next caller, as if never taken', async (t) => {
  const { pickup, publish, broker, queue, take } = await open(t);
  await publish('a');
  const [taken] = await take(1);
  await pickup.release([taken?.receipt ?? '']);
  const [waiting] = await broker.peek(queue);
  assert.equal(waiting?.attempt, 0);
  const [again] = await take(1);
  assert.equal(again?.request?.uuid, 'a');
  assert.notEqual(again?.receipt, taken?.receipt);
});

test('a result that is not confirmed within a minute returns to its queue, and its attempt is not charged', async (t) => {
  const { pickup, publish, status, broker, queue, take, clock } = await openWithManualClock(t);
  await publish('a');
  const [taken] = await take(1);
  clock.advance(leaseMs - 1);
  assert.equal((await status()).inFlight, 1);
  clock.advance(1);
  await eventually('the result waits again', async () => (await status()).ready.normal === 1);
  assert.deepEqual(await pickup.confirm([taken?.receipt ?? '']), { settled: [], unknown: [taken?.receipt] });
  const [waiting] = await broker.peek(queue);
  assert.equal(waiting?.attempt, 0);
});

test('a download keeps the receipt alive', async (t) => {
  const { pickup, publish, status, clock, take } = await openWithManualClock(t);
  await publish('a');
  const [taken] = await take(1);
  const receipt = taken?.receipt ?? '';
  for (let i = 0; i < 5; i++) {
    clock.advance(leaseMs - 1);
    assert.equal(pickup.find(receipt)?.request?.uuid, 'a');
  }
  assert.deepEqual((await pickup.confirm([receipt])).settled, [receipt]);
  assert.equal((await status()).inFlight, 0);
});

test('a slow server still delivers a waiting result, and the queue is not reported empty', async (t) => {
  const { publish, broker, queue, clock } = await openWithManualClock(t);
  await publish('a');
  const slow: Pick<Broker, 'consume' | 'status'> = {
    status: broker.status.bind(broker),
    consume(...parameters) {
      clock.advance(5_000);
      return broker.consume(...parameters);
    },
  };
  const { signal } = new AbortController();
  const taken = await gatherDeliveries({ broker: slow, clock, queue, max: 1, waitMs: 1000, signal });
  assert.deepEqual(
    taken.map(({ delivery }) => delivery.id),
    ['a/1'],
  );
  for (const { delivery, done } of taken) await delivery.ack().finally(done);
});

test('a caller waits for the first result and gets it when it comes', async (t) => {
  const { publish, take } = await open(t);
  const taking = take(1, 30_000);
  await publish('a');
  assert.equal((await taking)[0]?.request?.uuid, 'a');
});

test('a caller that waits in vain gets nothing', async (t) => {
  const { clock, take } = await openWithManualClock(t);
  let taken: unknown;
  void take(1, 5_000).then((results) => {
    taken = results;
  });
  await eventually('time is up', () => {
    clock.advance(1_000);
    return taken;
  });
  assert.deepEqual(taken, []);
});

test('a caller that hangs up while waiting leaves later results in the queue', async (t) => {
  const { publish, status, take } = await open(t);
  const caller = new AbortController();
  const taking = take(5, 30_000, caller.signal);
  caller.abort();
  assert.deepEqual(await taking, []);
  await publish('a');
  assert.equal((await status()).ready.normal, 1);
  assert.equal((await status()).inFlight, 0);
});

test('results gathered for a caller that hung up go back, and their attempts are not charged', async (t) => {
  const { publish, status, broker, queue, take } = await openWithManualClock(t);
  await publish('a');
  const caller = new AbortController();
  const taking = take(5, 30_000, caller.signal);
  await eventually('the result is in hand', async () => (await status()).inFlight === 1);
  caller.abort();
  assert.deepEqual(await taking, []);
  await eventually('the result waits again', async () => (await status()).ready.normal === 1);
  assert.equal((await broker.peek(queue))[0]?.attempt, 0);
});

test('two callers never get the same result, and each gets no more than it asked for', async (t) => {
  const { pickup, publish, status, take } = await open(t);
  const uuids = Array.from({ length: 30 }, (_, i) => `r${String(i).padStart(2, '0')}`);
  for (const uuid of uuids) await publish(uuid);
  const takes = await Promise.all([take(10, 1000), take(10, 1000)]);
  const seen = takes.flat().map((taken) => taken.request?.uuid ?? '');
  assert.ok(takes.every((taken) => taken.length <= 10));
  assert.equal(new Set(seen).size, seen.length);
  await pickup.confirm(takes.flat().map((taken) => taken.receipt));
  const rest = await take(100);
  assert.deepEqual([...seen, ...rest.map((taken) => taken.request?.uuid)].sort(), uuids);
  assert.equal((await status()).ready.normal, 0);
});

test('high results come before normal ones', async (t) => {
  const { publish, take } = await open(t);
  for (const uuid of ['n1', 'n2']) await publish(uuid);
  for (const uuid of ['h1', 'h2']) await publish(uuid, 1);
  const taken = await take(10);
  assert.deepEqual(
    taken.map((each) => each.request?.uuid),
    ['h1', 'h2', 'n1', 'n2'],
  );
});

test('a message that is not a request can be taken, seen and confirmed', async (t) => {
  const { pickup, broker, queue, take } = await open(t);
  await broker.publish(queue, { id: 'poison', body: Buffer.from([255, 255, 1]) });
  const [taken] = await take(1);
  assert.equal(taken?.request, null);
  assert.deepEqual(Buffer.from(taken?.body ?? []), Buffer.from([255, 255, 1]));
  assert.equal((await pickup.confirm([taken?.receipt ?? ''])).settled.length, 1);
});

test('confirming a result lets go of its blobs, releasing it does not', async (t) => {
  const { broker, pickup, queue, database, take } = await open(t);
  const request = newRequest({ uuid: 'a', owner: 'anna', stages: [queue], files: [], startedAt: 0 });
  request.ownsBlobs = true;
  await broker.publish(queue, toMessage(request));
  await own(database.query, '0'.repeat(64), requestOwner(request), 0);
  const owned = () => database.query.selectFrom('blobRef').selectAll().execute();
  const [taken] = await take(1);
  await pickup.release([taken?.receipt ?? '']);
  assert.equal((await owned()).length, 1);
  const [again] = await take(1);
  await pickup.confirm([again?.receipt ?? '']);
  assert.equal((await owned()).length, 0);
});

test('the number of unconfirmed results is limited', async (t) => {
  const { pickup, publish, take } = await open(t);
  await Promise.all(Array.from({ length: maxUnconfirmed + 1 }, (_, i) => publish(`r${i}`)));
  const taken = await take(maxUnconfirmed, 1000);
  assert.equal(taken.length, maxUnconfirmed);
  await assert.rejects(take(1), (error) => hasCode(error, 'too-many-requests'));
  await pickup.confirm([taken[0]?.receipt ?? '']);
  assert.equal((await take(5)).length, 1);
});

test('one answer holds no more than some megabytes, however many results wait', async (t) => {
  const { status, broker, queue, take } = await open(t);
  const body = Buffer.alloc(3 * 1024 * 1024);
  for (const id of ['1', '2', '3', '4', '5']) await broker.publish(queue, { id, body });
  const taken = await take(5);
  assert.equal(taken.length, 3);
  await eventually('the others wait', async () => (await status()).ready.normal === 2);
});

test('taking from a missing queue fails', async (t) => {
  const { pickup } = await open(t);
  await assert.rejects(pickup.take('nowhere', 1, 0), (error) => hasCode(error, 'queue-unknown'));
});

test('closing gives everything back and ends waiting calls', async (t) => {
  const { pickup, publish, status, take } = await open(t);
  await publish('a');
  await take(1);
  const waiting = take(1, 30_000);
  await pickup.close();
  assert.deepEqual(await waiting, []);
  assert.equal((await status()).ready.normal, 1);
  assert.deepEqual(await take(1, 30_000), []);
});

/** The threads start once; each test has its own queue. */
const wholeFile = { after: after as TestContext['after'] };
const shared = {
  moving: openEmbedded(wholeFile),
  standing: openEmbedded(wholeFile, { clock: new ManualClock() }),
};
let queues = 0;

async function open(t: TestContext) {
  return openOn(t, await shared.moving);
}

async function openWithManualClock(t: TestContext) {
  const embedded = await shared.standing;
  assert.ok(embedded.clock instanceof ManualClock);
  return { ...(await openOn(t, embedded)), clock: embedded.clock };
}

async function openOn(t: TestContext, { broker, clock, database }: Embedded) {
  const queue = `out-${++queues}`;
  await broker.declare(queue);
  const pickup = createPickup({ broker, clock, database });
  t.after(() => pickup.close());
  const request = (uuid: string, priority: number) =>
    newRequest({ uuid, priority, stages: [queue], files: [], startedAt: 0 });
  return {
    broker,
    database,
    pickup,
    queue,
    status: () => broker.status(queue),
    publish: (uuid: string, priority = 0) => broker.publish(queue, toMessage(request(uuid, priority))),
    take: (max: number, waitMs = 0, signal?: AbortSignal) => pickup.take(queue, max, waitMs, signal),
  };
}
