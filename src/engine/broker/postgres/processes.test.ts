import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { sharedPostgres } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import type { Delivery } from '../broker.ts';
import { openPostgresBroker } from '../postgres.ts';
import { bytes, drain, idsOf, numbered, publishAll } from '../testing/contract/scene.ts';
import { readNotice } from './notices.ts';
import { promote } from './upkeep.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

/** Two brokers, as two processes would have them. Leases are so long that periodic sweeps find nothing here. */
async function openTwo(t: TestContext, leaseMs = 120_000, clock = systemClock) {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 1 });
  const one = await openPostgresBroker({ url, clock, leaseMs });
  const other = await openPostgresBroker({ url, clock, leaseMs });
  // Handlers may wait for it: a test that fails must not wait for them.
  const finish = Promise.withResolvers<void>();
  t.after(async () => {
    finish.resolve();
    await Promise.all([one.close(), other.close()]);
    await pool.close();
  });
  await one.declare('letters');
  return { url, one, other, finish, query: (sql: string, values?: unknown[]) => pool.query(sql, values) };
}

test('what one process publishes wakes the consumer in another at once', async (t) => {
  const { one, other } = await openTwo(t);
  const came: string[] = [];
  await other.consume('letters', { concurrency: 1 }, async (delivery) => {
    came.push(delivery.id);
    await delivery.ack();
  });
  for (const id of numbered('m', 5)) {
    await publishAll(one, 'letters', [id]);
    await eventually('it has come', () => came.at(-1) === id);
  }
});

test('a high message of one process overtakes what another has fetched ahead', async (t) => {
  const { one, other, query } = await openTwo(t);
  await publishAll(one, 'letters', numbered('m', 60));
  const came: string[] = [];
  const consumer = await other.consume('letters', { concurrency: 1, prefetch: 30 }, async (delivery) => {
    came.push(delivery.id);
    if (came.length === 20) {
      await publishAll(one, 'letters', ['high']);
      const urgent =
        'SELECT 1 FROM pismak_broker.message JOIN pismak_broker.claim ON seq = ANY (seqs) WHERE lane = 0';
      await eventually('the other has fetched it', async () => (await query(urgent)).rows.length === 1);
    }
    await delivery.ack();
  });
  await eventually('all have come', () => came.length === 61);
  await consumer.close();
  assert.equal(came[20], 'high');
});

test('two processes that consume one queue at once never have the same message', async (t) => {
  const { one, other } = await openTwo(t);
  const ids = numbered('m', 1000).sort();
  await publishAll(one, 'letters', ids);
  const came: string[] = [];
  for (const broker of [one, other]) {
    await broker.consume('letters', { concurrency: 10, prefetch: 40 }, async (delivery) => {
      came.push(delivery.id);
      await delivery.ack();
    });
  }
  await eventually('all have come', () => came.length >= ids.length);
  assert.deepEqual(came.toSorted(), ids);
});

test('a queue that one process pauses stops in another, and goes on when it is resumed', async (t) => {
  const { one, other } = await openTwo(t);
  const came: string[] = [];
  await other.consume('letters', { concurrency: 1 }, async (delivery) => {
    came.push(delivery.id);
    await delivery.ack();
  });
  await publishAll(one, 'letters', ['first']);
  await eventually('it works', () => came.length === 1);
  await one.pause('letters');
  await publishAll(one, 'letters', ['second']);
  await one.declare('others');
  await publishAll(one, 'others', ['third']);
  await drain(other, 'others', 1);
  assert.deepEqual(came, ['first']);
  await one.resume('letters');
  await eventually('it goes on', () => came.length === 2);
});

test('a bound holds for two processes that publish at once', async (t) => {
  const { one, other } = await openTwo(t);
  await one.declare('letters', { maxLength: 25 });
  const results = await Promise.allSettled(
    [one, other].flatMap((broker) =>
      numbered('m', 200).map((id) => broker.publish('letters', { id, body: bytes(id) })),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 25);
  assert.equal((await one.status('letters')).ready.normal, 25);
});

test('a process that was declared dead cannot settle what another process has claimed since', async (t) => {
  const { one, other, finish, query } = await openTwo(t, 3000);
  await publishAll(one, 'letters', ['one']);
  const first = Promise.withResolvers<Delivery>();
  await one.consume('letters', { concurrency: 1 }, async (delivery) => {
    first.resolve(delivery);
    await finish.promise;
  });
  const stale = await first.promise;
  await one.pause('letters');
  // The oldest is `one`; this is what a sweep does to it.
  await query(
    'DELETE FROM pismak_broker.process WHERE number = (SELECT min(number) FROM pismak_broker.process)',
  );
  await eventually('it is ready again', async () => (await other.status('letters')).ready.normal === 1);
  await assert.rejects(stale.ack(), (error) => hasCode(error, 'conflict'));
  assert.equal((await other.status('letters')).ready.normal, 1);
  finish.resolve();
  await other.resume('letters');
  const [again] = await drain(other, 'letters', 1);
  assert.deepEqual([again?.id, again?.attempt], ['one', 2]);
});

test('messages fetched ahead are returned when handlers take long, and charged no attempt', async (t) => {
  const { one, other, finish } = await openTwo(t, 1500);
  const ids = numbered('m', 100).sort();
  await publishAll(one, 'letters', ids);
  let started = 0;
  await one.consume('letters', { concurrency: 1 }, async (delivery) => {
    // Quick ones teach the consumer to fetch ahead; then one takes very long.
    if (++started > 50) await finish.promise;
    await delivery.ack();
  });
  await eventually('it is stuck', () => started === 51);
  const rest = await drain(other, 'letters', 49);
  assert.deepEqual(idsOf(rest).sort(), ids.slice(51));
  assert.ok(rest.every(({ attempt }) => attempt === 1));
});

test('messages are claimed by the half of what may be fetched ahead, not one by one as handlers finish', async (t) => {
  // The clock stands still, so all handlers seem quick, however busy the machine is: 20 are fetched ahead.
  const { one, other, query } = await openTwo(t, 120_000, { ...systemClock, now: () => 1 });
  await publishAll(other, 'letters', numbered('m', 200));
  let acked = 0;
  await one.consume('letters', { concurrency: 1, prefetch: 21 }, async (delivery) => {
    await delivery.ack();
    acked++;
  });
  await eventually('all are acked', () => acked === 200);
  await one.close();
  // The server counts a connection's rows at the latest when it ends.
  const claims = await eventually('they are counted', async () => {
    const { rows } = await query(
      "SELECT relname, n_tup_ins, n_tup_del FROM pg_stat_user_tables WHERE relname IN ('claim', 'message') ORDER BY relname",
    );
    return rows[1]?.n_tup_del === 200 && rows[0]?.n_tup_ins;
  });
  assert.ok(Number(claims) <= 40, `${claims} claims for 200 messages`);
});

test('counts stay right when the connections that made them are gone', async (t) => {
  const { one, other, query } = await openTwo(t, 900);
  await publishAll(one, 'letters', numbered('m', 7));
  await one.close();
  await eventually('they are added up', async () => {
    const { rows } = await query('SELECT shard FROM pismak_broker.counts');
    return rows.length === 1 && rows[0]?.shard === 0;
  });
  assert.equal((await other.status('letters')).ready.normal, 7);
  await drain(other, 'letters', 7);
  assert.equal((await other.status('letters')).ready.normal, 0);
});

test('counts stay right when the clock of the server is set back', async (t) => {
  const { one, query } = await openTwo(t);
  await query(`INSERT INTO pismak_broker.counts SELECT number, 0, 0, 0, 0, 0, 0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint / 4096 + 900
    FROM pismak_broker.queue`);
  await publishAll(one, 'letters', ['a', 'b']);
  assert.equal((await one.status('letters')).ready.normal, 2);
});

test('a stuck transaction that has counted does not stop upkeep', async (t) => {
  const { url, one, query } = await openTwo(t);
  await publishAll(one, 'letters', ['a']);
  await query(
    `INSERT INTO pismak_broker.counts SELECT number, 1, shard, 0, shard, 0, 0 FROM pismak_broker.queue, generate_series(2, 3) AS shard`,
  );
  await query('BEGIN');
  await query('SELECT FROM pismak_broker.counts WHERE shard = 2 FOR UPDATE');
  const third = await openPostgresBroker({ url, clock: systemClock, leaseMs: 120_000 });
  try {
    await eventually('the others are added up', async () => {
      const { rows } = await query('SELECT shard FROM pismak_broker.counts WHERE period = 1');
      return rows.length === 1;
    });
  } finally {
    await query('ROLLBACK');
    await third.close();
  }
  assert.equal((await one.status('letters')).ready.normal, 6);
});

test('others hear of a due message even if the process that made it ready dies then', async (t) => {
  const { one, other, query } = await openTwo(t);
  let came = 0;
  await other.consume('letters', { concurrency: 1 }, async (delivery) => {
    came++;
    await (came === 1 ? delivery.retry({ delayMs: 3_600_000, reason: 'later' }) : delivery.ack());
  });
  await publishAll(one, 'letters', ['a', 'b']);
  await eventually('one is delayed', () => came === 2);
  await eventually('it is written', async () => (await one.status('letters')).delayed === 1);
  await query('SET search_path = pismak_broker');
  await query('UPDATE message SET ready_at = 1');
  await query(promote.text, [10, true, 0]);
  await eventually('it has come', () => came === 3);
});

test('a notice of a process of 0.2, without a place, is understood', () => {
  assert.deepEqual(readNotice('hletters'), { queue: 'letters', kind: 'high', first: 0 });
  assert.deepEqual(readNotice('n12:letters'), { queue: 'letters', kind: 'normal', first: 12 });
});

test('a message id with a NUL is refused, and other messages are unharmed', async (t) => {
  const { one } = await openTwo(t);
  const sending = ['m0', 'm\0', 'm1'].map((id) => one.publish('letters', { id, body: bytes(id) }));
  const [first, second, third] = await Promise.allSettled(sending);
  assert.deepEqual([first?.status, third?.status], ['fulfilled', 'fulfilled']);
  assert.ok(second?.status === 'rejected' && hasCode(second.reason, 'invalid-input'));
  await assert.rejects(one.declare('a\0b'), (error) => hasCode(error, 'invalid-input'));
  await assert.rejects(one.publish('a\0b', { id: 'x', body: bytes('') }), (error) =>
    hasCode(error, 'queue-unknown'),
  );
});
