import assert from 'node:assert/strict';
import test from 'node:test';
import { CompiledQuery } from 'kysely';
import { createAlerts } from '../alert/alert.ts';
import type { Broker, Delivery } from '../broker/broker.ts';
import type { Queries } from '../database/database.ts';
import { hasCode } from '../ground/errors.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { type BacklogItem, createBacklog } from './backlog.ts';
import { dueItems, dueOwners, itemsOf, nextStream } from './backlog-queries.ts';
import { runBacklog } from './backlog-release.ts';

async function setUp(t: test.TestContext) {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  await embedded.broker.declare('q');
  const backlog = createBacklog(embedded);
  const alerts = createAlerts({ ...embedded, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const taken: Delivery[] = [];

  const it = {
    ...embedded,
    clock,
    backlog,
    alerts,
    taken,
    start(options: { slots?: number; openSession?: typeof embedded.openSession; broker?: Broker } = {}) {
      const { slots = 1, ...others } = options;
      const service = runBacklog({ ...embedded, alerts, backlog, slots: async () => slots, ...others });
      t.after(() => service.close());
      return service;
    },
    async add(owner: string, count: number, more: Partial<BacklogItem> = {}) {
      const items = Array.from({ length: count }, (_, index) => {
        const message = { id: `${owner}-${index}`, body: Buffer.from(owner), headers: { owner } };
        return { queue: 'q', owner, batch: owner, message, ...more };
      });
      await embedded.database.transaction((transaction) => backlog.add(transaction, items));
      backlog.wake();
    },
    length: async () => (await embedded.broker.status('q')).ready.normal,
    ids: async () => (await embedded.broker.peek('q', { limit: 1000 })).map((message) => message.id),
    /** Consumes `count` messages and returns them in order. */
    async consume(count: number) {
      const consumer = await embedded.broker.consume(
        'q',
        { concurrency: 1, prefetch: 1 },
        async (delivery) => {
          if (taken.length >= count) return;
          taken.push(delivery);
          await delivery.ack();
        },
      );
      await eventually(`${count} were taken`, () => {
        clock.advance(50);
        return taken.length >= count;
      });
      await consumer.close();
      return taken.map((delivery) => delivery.id);
    },
    left: async () => {
      const { count } = await embedded.database.query
        .selectFrom('backlog')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Waits until the service has nothing more to do at this moment: the queue has this many messages. */
    settled: (length: number) =>
      eventually(`${length} in the queue`, async () => {
        clock.advance(1000);
        return (await it.length()) === length;
      }),
  };
  return it;
}

test('only what the workers need soon is released: four messages per slot', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 100);
  it.start({ slots: 3 });
  await it.settled(12);
  assert.equal(await it.left(), 88);
});

test('one owner with 10,000 items does not delay another with 10', async (t) => {
  const it = await setUp(t);
  await it.add('big', 10_000);
  it.start();
  await it.settled(4);
  await it.add('small', 10);
  const taken = await it.consume(40);
  assert.equal(taken.filter((id) => id.startsWith('small')).length, 10);
  const last = taken.findLastIndex((id) => id.startsWith('small'));
  assert.ok(last < 4 + 2 * 10 + 4, `the last one of the small owner was number ${last}`);
});

test('twice the weight is twice the share', async (t) => {
  const it = await setUp(t);
  await it.add('double', 100, { weight: 2 });
  await it.add('single', 100);
  it.start();
  const taken = await it.consume(60);
  const doubles = taken.filter((id) => id.startsWith('double')).length;
  assert.ok(doubles >= 38 && doubles <= 42, `${doubles} of 60`);
});

test('the items of an owner are all released, in the order added', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 300);
  await it.add('bert', 50);
  it.start({ slots: 8 });
  const taken = await it.consume(350);
  for (const [owner, count] of [
    ['anna', 300],
    ['bert', 50],
  ] as const) {
    const ids = Array.from({ length: count }, (_, index) => `${owner}-${index}`);
    assert.deepEqual(
      taken.filter((id) => id.startsWith(owner)),
      ids,
    );
  }
  assert.equal(await it.left(), 0);
});

test('a message arrives with all its fields', async (t) => {
  const it = await setUp(t);
  const message = { id: 'm', body: Buffer.from([0, 255]), lane: 'high', headers: { a: 'ž' } } as const;
  await it.add('anna', 1, { message });
  it.start();
  const [stored] = await eventually('it is there', async () => {
    const messages = await it.broker.peek('q');
    return messages.length > 0 ? messages : undefined;
  });
  assert.deepEqual([stored?.id, stored?.lane, stored?.headers], ['m', 'high', { a: 'ž' }]);
  assert.deepEqual(Buffer.from(stored?.body ?? []), message.body);
});

test('a paused batch waits, a resumed one continues, a cancelled one never comes', async (t) => {
  const it = await setUp(t);
  await it.add('paused', 6000);
  await it.add('cancelled', 6000);
  assert.equal(await it.backlog.pause('paused'), 6000);
  assert.equal(await it.backlog.cancel('cancelled'), 6000);
  await it.add('other', 2);
  it.start({ slots: 10 });
  await it.settled(2);
  assert.deepEqual(await it.ids(), ['other-0', 'other-1']);
  assert.deepEqual(await it.backlog.count('paused'), { waiting: 0, paused: 6000 });
  assert.deepEqual(await it.backlog.count('cancelled'), { waiting: 0, paused: 0 });
  assert.equal(await it.backlog.resume('paused'), 6000);
  await it.settled(40);
  assert.equal((await it.ids())[2], 'paused-0');
});

test('an item waits for its time and delays no other', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 1, { notBefore: it.clock.now() + 3_600_000, batch: 'later' });
  await it.add('bert', 1);
  await it.add('anna', 1, { message: { id: 'anna-now', body: Buffer.from('') } });
  it.start();
  await it.settled(2);
  assert.deepEqual((await it.ids()).sort(), ['anna-now', 'bert-0']);
  it.clock.advance(3_600_000);
  await it.settled(3);
});

test('a queue that does not exist raises an alert and delays no other', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 2, { queue: 'nowhere' });
  await it.add('bert', 2);
  it.start();
  await it.settled(2);
  const [alert] = await eventually('an alert', async () => {
    it.clock.advance(1000);
    const open = await it.alerts.list();
    return open.length > 0 ? open : undefined;
  });
  assert.deepEqual([alert?.kind, alert?.entity], ['backlog.stuck', 'nowhere']);
  await it.broker.declare('nowhere');
  await eventually('they are released', async () => {
    it.clock.advance(1000);
    return (await it.left()) === 0 && (await it.alerts.list()).length === 0;
  });
});

test('a paused queue gets nothing, and a bounded one no more than its limit', async (t) => {
  const it = await setUp(t);
  await it.broker.declare('q', { maxLength: 2 });
  await it.broker.declare('asleep');
  await it.broker.pause('asleep');
  await it.add('anna', 10);
  await it.add('bert', 10, { queue: 'asleep' });
  it.start();
  await it.settled(2);
  assert.equal((await it.broker.status('asleep')).ready.normal, 0);
  assert.deepEqual(await it.alerts.list(), []);
});

test('when the process dies between publishing and deleting, nothing is lost and ids stay the same', async (t) => {
  const it = await setUp(t);
  await it.add('anna', 30);
  const seen = new Set<string>();
  for (let life = 0; life < 3; life++) {
    const died = Promise.withResolvers<void>();
    const session = await it.openSession('backlog');
    let published = 0;
    const broker: Broker = Object.assign(Object.create(null), {
      status: it.broker.status.bind(it.broker),
      async publish(queue: string, message: Parameters<Broker['publish']>[1]) {
        await it.broker.publish(queue, message);
        if (++published < 3) return;
        died.resolve();
        await new Promise(() => {});
      },
    });
    // Never closed: it just goes silent.
    runBacklog({ ...it, broker, slots: async () => 100, openSession: async () => session });
    await died.promise;
    await it.tree.expire(session.session);
  }
  assert.equal(await it.left(), 30);
  it.start({ slots: 100 });
  await eventually('all are released', async () => {
    it.clock.advance(1000);
    return (await it.left()) === 0;
  });
  for (const id of await it.ids()) seen.add(id);
  assert.deepEqual(
    [...seen],
    Array.from({ length: 30 }, (_, index) => `anna-${index}`),
  );
});

test('an invalid weight is refused', async (t) => {
  const it = await setUp(t);
  for (const weight of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(it.add('anna', 1, { weight }), (error) => hasCode(error, 'invalid-input'));
  }
});

test('queries that release, pause, cancel and purge use an index', async (t) => {
  const { database } = await setUp(t);
  const { query } = database;
  const stream = { queue: 'q', lane: 'normal', route: 'a,b' };
  const queries: CompiledQuery[] = [
    dueOwners(query, stream, 0).compile(),
    dueItems(query, stream, 'anna', 0, 10).compile(),
    nextStream(query, stream).compile(),
    itemsOf(query, 'batch', 'b', 10).where('paused', '=', 0).compile(),
    itemsOf(query, 'queue', 'q', 1).compile(),
  ];
  for (const each of queries) {
    const plan = await explain(query, each);
    const steps = plan.filter((step) => /\b(backlog|item)\b/.test(step));
    assert.ok(steps.length > 0 && steps.every((step) => step.startsWith('SEARCH')), plan.join('\n'));
    // Owners are few and may be sorted; items and queues come in order.
    if (!each.sql.includes('walk'))
      assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), plan.join('\n'));
  }
});

async function explain(query: Queries, { sql, parameters }: CompiledQuery): Promise<string[]> {
  const { rows } = await query.executeQuery(CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]));
  return rows.map((row) => String((row as { detail: string }).detail));
}
