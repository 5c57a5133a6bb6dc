import assert from 'node:assert/strict';
import test from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import type { Delivery } from '../broker/broker.ts';
import { ownerOf } from '../broker/owner-header.ts';
import { newRequest } from '../request/request.ts';
import { requestItem } from '../request/request-item.ts';
import { submitRequest } from '../request/submit.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { runBacklog } from './backlog-release.ts';

async function setUp(t: test.TestContext, { slots = 1 } = {}) {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const { broker, database, backlog, stages } = embedded;
  for (const name of ['first', 'second', 'third'])
    await stages.create({ name, processor: 'nothing' }, 'test');
  const alerts = createAlerts({ ...embedded, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const service = runBacklog({
    ...embedded,
    alerts,
    slots: async (queue) => (queue === 'first' ? slots : 0),
  });
  t.after(() => service.close());
  let made = 0;

  return {
    ...embedded,
    clock,
    alerts,
    async add(owner: string, count: number, { stages = ['first', 'out'], priority = 0 } = {}) {
      const items = Array.from({ length: count }, () => {
        const uuid = `${owner}-${made++}`;
        return requestItem(newRequest({ uuid, stages, files: [], startedAt: 0, owner, priority }), {
          batch: owner,
        });
      });
      await database.transaction((transaction) => backlog.add(transaction, items));
      backlog.wake();
    },
    owners: async (queue = 'first') => (await broker.peek(queue, { limit: 1000 })).map(ownerOf),
    /** Waits until a condition holds, while time passes. */
    until: (what: string, condition: () => Promise<boolean> | boolean) =>
      eventually(what, async () => {
        clock.advance(100);
        return await condition();
      }),
  };
}

test("one owner's thousand waiting requests delay another's by one turn", async (t) => {
  const it = await setUp(t);
  const submit = (owner: string) =>
    submitRequest(it, { owner, stages: ['first', `out-${owner}`], files: [] });
  await it.add('big', 1000);
  const taken: Delivery[] = [];
  const consumer = await it.broker.consume('first', { concurrency: 1 }, async (delivery) => {
    taken.push(delivery);
    if (taken.length === 20) {
      await submit('small');
      await it.until('it is released', async () => (await it.owners()).includes('small'));
    }
    await delivery.ack();
  });
  await it.until('the small owner is served', () => taken.some((one) => ownerOf(one) === 'small'));
  await consumer.close();
  const place = taken.findIndex((one) => ownerOf(one) === 'small');
  assert.ok(place <= 21, `it was served as number ${place}, and came after number 20`);
});

test('high before normal, whoever owns it, and owners take turns within each lane', async (t) => {
  const it = await setUp(t);
  await it.add('big', 100);
  await it.until('the queue is full', async () => (await it.owners()).length === 4);
  for (const owner of ['anna', 'bert']) await it.add(owner, 50, { priority: 1 });
  await it.until('high ones are in it', async () => (await it.broker.status('first')).ready.high === 4);
  const high = (await it.owners()).slice(0, 4);
  assert.deepEqual(high.toSorted(), ['anna', 'anna', 'bert', 'bert']);
  assert.equal((await it.broker.status('first')).ready.normal, 4);
});

test('a request waits while a later stage on its way is clogged, and holds up no other', async (t) => {
  const it = await setUp(t, { slots: 200 });
  for (let index = 0; index < 100; index++)
    await it.broker.publish('second', { id: `old-${index}`, body: Buffer.from('') });
  await it.add('through', 10, { stages: ['first', 'second', 'third', 'out'] });
  await it.add('past', 10, { stages: ['first', 'third', 'out'] });
  // The same owner, by another way.
  await it.add('through', 1);
  await it.until('the others are released', async () => (await it.owners()).length === 11);
  assert.deepEqual((await it.owners()).toSorted(), [...Array(10).fill('past'), 'through']);
  await it.broker.purge('second');
  await it.until('it goes on when there is room', async () => (await it.owners()).length === 21);
});

test('a request whose later stage was deleted does not wait for that stage', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 1, { stages: ['first', 'deleted', 'out'] });
  await it.until('it is released', async () => (await it.owners()).length === 1);
});

test('submitting goes through the backlog too while a later stage is clogged', async (t) => {
  const it = await setUp(t);
  for (let index = 0; index < 100; index++)
    await it.broker.publish('second', { id: `old-${index}`, body: Buffer.from('') });
  await submitRequest(it, { owner: 'anna', stages: ['first', 'second', 'out-anna'], files: [] });
  await submitRequest(it, { owner: 'bert', stages: ['first', 'out-bert'], files: [] });
  await it.until("the other's is released", async () => (await it.owners()).includes('bert'));
  assert.deepEqual(await it.owners(), ['bert']);
});

test('when one owner fills a queue that does not move, others still get in, one each', async (t) => {
  const it = await setUp(t);
  await it.add('hog', 100);
  await it.until('the queue is full', async () => (await it.owners()).length === 4);
  await it.add('anna', 3);
  await it.add('bert', 3);
  await it.until('both are in it', async () => (await it.owners()).length === 6);
  assert.deepEqual((await it.owners()).toSorted(), ['anna', 'bert', 'hog', 'hog', 'hog', 'hog']);
  for (let seconds = 0; seconds < 100; seconds++) {
    it.clock.advance(1000);
    await it.broker.status();
  }
  assert.equal((await it.owners()).length, 6, 'no more of those who have one there');
});

test('an item that the broker refuses for its size holds up no other', async (t) => {
  const it = await setUp(t);
  const message = { id: 'huge/2', body: Buffer.alloc(17 * 1024 * 1024) };
  await it.database.transaction((transaction) =>
    it.backlog.add(transaction, [{ queue: 'first', owner: 'anna', batch: 'b', message }]),
  );
  await it.add('anna', 2);
  await it.until('the others are released', async () => (await it.owners()).length === 2);
  assert.deepEqual(await it.alerts.list(), []);
});

test('a stage with a limit refuses requests when as many wait for it, in its queue or before it', async (t) => {
  const it = await setUp(t);
  await it.stages.create({ name: 'short', processor: 'nothing', maxLength: 20 }, 'test');
  const submit = () => submitRequest(it, { owner: 'anna', stages: ['short', 'out'], files: [] });
  for (let count = 0; count < 20; count++) await submit();
  await assert.rejects(submit(), { code: 'queue-full' });
});
