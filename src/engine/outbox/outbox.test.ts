import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createAlerts } from '../alert/alert.ts';
import { type Embedded, openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { createOutbox, runOutbox } from './outbox.ts';

async function start(
  t: test.TestContext,
  embedded: Embedded,
  publish = embedded.broker.publish.bind(embedded.broker),
) {
  const outbox = createOutbox(embedded);
  const alerts = createAlerts({ ...embedded, repeatMs: 1e9, subscribers: [], wakeOutbox: outbox.wake });
  const service = runOutbox({ ...embedded, broker: { publish }, outbox, alerts });
  t.after(() => service.close());
  const send = async (queue: string, ...ids: string[]) => {
    await embedded.database.transaction(async (transaction) => {
      for (const id of ids) await outbox.add(transaction, queue, { id, body: Buffer.from(id) });
    });
    outbox.wake();
  };
  return { outbox, alerts, service, send };
}

async function idsIn({ broker }: Embedded, queue: string): Promise<string[]> {
  return (await broker.peek(queue, { limit: 10_000 })).map((message) => message.id);
}

async function rows({ database }: Embedded): Promise<number> {
  const { count } = await database.query
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

test('messages of a committed transaction are published at once and in order, with all their fields', async (t) => {
  // The clock stands still, so only `wake` can publish, not polling.
  const embedded = await openEmbedded(t, { clock: new ManualClock() });
  await embedded.broker.declare('letters');
  const { outbox } = await start(t, embedded);
  const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
  await embedded.database.transaction(async (transaction) => {
    for (const id of ids) {
      await outbox.add(transaction, 'letters', {
        id,
        body: Buffer.from(`body ${id}`),
        lane: 'high',
        headers: { from: id },
      });
    }
  });
  outbox.wake();
  await eventually('the outbox is empty', async () => (await rows(embedded)) === 0);
  const published = await embedded.broker.peek('letters', { limit: 1000 });
  assert.deepEqual(
    published.map((message) => message.id),
    ids,
  );
  const [first] = published;
  assert.deepEqual(
    [first?.lane, first?.headers, Buffer.from(first?.body ?? []).toString()],
    ['high', { from: 'm0' }, 'body m0'],
  );
});

test('a transaction that fails sends nothing', async (t) => {
  const embedded = await openEmbedded(t);
  await embedded.broker.declare('letters');
  const { outbox, send } = await start(t, embedded);
  await assert.rejects(
    embedded.database.transaction(async (transaction) => {
      await outbox.add(transaction, 'letters', { id: 'never', body: Buffer.from('') });
      throw new Error('changed my mind');
    }),
  );
  await send('letters', 'sent');
  await eventually('the other one arrived', async () => (await idsIn(embedded, 'letters')).length > 0);
  assert.deepEqual(await idsIn(embedded, 'letters'), ['sent']);
});

test('a queue that does not exist or is full keeps its messages and delays no other', async (t) => {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const { broker } = embedded;
  await broker.declare('good');
  await broker.declare('small', { maxLength: 1 });
  const { send, alerts } = await start(t, embedded);
  await send('nowhere', 'n1', 'n2');
  await send('small', 's1', 's2', 's3');
  await send('good', 'g1', 'g2');
  await eventually(
    'the good queue has its messages',
    async () => (await idsIn(embedded, 'good')).length === 2,
  );
  await eventually('four wait', async () => (await rows(embedded)) === 4);

  const [alert] = await eventually('an alert names the missing queue', async () => {
    clock.advance(1000);
    const open = await alerts.list();
    return open.length > 0 ? open : undefined;
  });
  assert.deepEqual([alert?.kind, alert?.entity], ['outbox.stuck', 'nowhere']);
  assert.match(alert?.reason ?? '', /nowhere/);

  await broker.declare('nowhere');
  await broker.declare('small', { maxLength: null });
  await eventually('all is published', async () => {
    clock.advance(1000);
    return (await rows(embedded)) === 0;
  });
  assert.deepEqual(await idsIn(embedded, 'nowhere'), ['n1', 'n2']);
  assert.deepEqual(await idsIn(embedded, 'small'), ['s1', 's2', 's3']);
  await eventually('the alert is over', async () => (await alerts.list()).length === 0);
});

test('if the process dies between publishing and deleting, every message still arrives, in order, under its own id', async (t) => {
  const embedded = await openEmbedded(t);
  const { broker, database } = embedded;
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (crashes) => {
      const queue = `q${round++}`;
      await broker.declare(queue);
      const ids = crashes.map((_, index) => `${queue}-${index}`);
      const crashAt = new Set(ids.filter((_, index) => crashes[index]));
      const outbox = createOutbox(embedded);
      const alerts = createAlerts({ ...embedded, repeatMs: 1e9, subscribers: [], wakeOutbox: outbox.wake });
      await database.transaction(async (transaction) => {
        for (const id of ids) await outbox.add(transaction, queue, { id, body: Buffer.from(id) });
      });
      for (let alive = false; !alive; ) {
        const died = Promise.withResolvers<'died'>();
        // Dies after the broker has the message and before its row is deleted.
        const publish: typeof broker.publish = async (to, message) => {
          await broker.publish(to, message);
          if (!crashAt.delete(message.id)) return;
          died.resolve('died');
          await new Promise(() => {});
        };
        const session = await embedded.openSession('outbox');
        const service = runOutbox({
          ...embedded,
          broker: { publish },
          outbox,
          alerts,
          openSession: async () => session,
        });
        const emptied = eventually('the rows are gone', async () => (await rows(embedded)) === 0);
        alive = (await Promise.race([died.promise, emptied])) !== 'died';
        await (alive ? service.close() : embedded.tree.expire(session.session));
      }
      const seen = await idsIn(embedded, queue);
      assert.deepEqual([...new Set(seen)], ids);
      await broker.remove(queue);
    }),
    { numRuns: 8 },
  );
});
