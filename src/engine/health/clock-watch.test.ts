import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import { eraseGivenUp, giveUpUnowned } from '../blob-owners/blob-erasure.ts';
import { keepHouse } from '../schedule/housekeeping.ts';
import { createSchedules } from '../schedule/schedules.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { holdMs, watchClock } from './clock-watch.ts';

const [hour, day] = [3_600_000, 86_400_000];

/** A machine whose wall clock can be set while time goes on. */
class Machine extends ManualClock {
  #set = 0;
  override now(): number {
    return super.now() + this.#set;
  }
  uptime(): number {
    return super.now();
  }
  set(by: number): void {
    this.#set += by;
  }
}

async function setUp(t: TestContext) {
  const clock = new Machine();
  const embedded = await openEmbedded(t, { clock });
  const alerts = createAlerts({ ...embedded, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const open = async () => {
    const watch = await watchClock({ ...embedded, alerts, host: 'here' });
    t.after(() => watch.close());
    return watch;
  };
  const watch = await open();
  const schedules = createSchedules(embedded);
  await keepHouse(schedules, { ...embedded, clock: watch.retention });
  const signal = new AbortController().signal;
  const run = (task: string) => schedules.task(task)?.({ parameters: {}, signal, log() {} });
  const audit = { actor: 'anna', operation: 'stage.create', inputJson: '{}', outcome: 'ok', address: '' };
  await embedded.database.query
    .insertInto('audit')
    .values({ ...audit, id: 'old', at: clock.now() - 100 * day })
    .execute();
  const audited = async () =>
    (await embedded.database.query.selectFrom('audit').select('id').execute()).length;
  return { ...embedded, clock, watch, open, schedules, run, audited, alerts };
}

test('a clock 400 days ahead for a moment deletes nothing, and says so', async (t) => {
  const { clock, watch, run, audited, alerts, blobs, database } = await setUp(t);
  const { hash } = await blobs.put(Buffer.from('an upload'));
  await database.query
    .insertInto('upload')
    .values({ id: 'u', owner: 'anna', createdAt: clock.now(), hash, state: 'finished', size: 9 })
    .execute();
  await database.query
    .insertInto('blobPut')
    .values({ hash, owner: 'anna', at: clock.now(), size: 9 })
    .execute();
  clock.set(400 * day);
  for (const task of ['blobs.sweep', 'history.trim', 'uploads.forget', 'blobs.sweep']) await run(task);
  await eraseGivenUp({ database, blobs, clock: watch.retention });
  assert.equal(await audited(), 1);
  assert.ok(await blobs.has(hash));
  assert.equal((await database.query.selectFrom('upload').select('id').execute()).length, 1);
  await watch.look();
  assert.match((await alerts.list())[0]?.reason ?? '', /set ahead by 400 days.*pismak clock accept/);
  clock.set(-400 * day);
  await watch.look();
  assert.deepEqual(await alerts.list(), []);
  assert.equal(watch.held, undefined);
});

test('a jump that lasts for half a day, or that an administrator accepts, counts', async (t) => {
  for (const how of ['lasts', 'is accepted'] as const) {
    const { clock, watch, run, audited, alerts } = await setUp(t);
    clock.set(400 * day);
    await watch.look();
    clock.advance(holdMs - hour);
    await run('history.trim');
    assert.equal(await audited(), 1);
    if (how === 'lasts') clock.advance(2 * hour);
    else await watch.accept();
    await watch.look();
    await run('history.trim');
    assert.equal(await audited(), 0, how);
    assert.deepEqual(await alerts.list(), []);
  }
});

test('a wrong clock at the start holds deletions back too', async (t) => {
  const { clock, watch, open, audited, database, schedules } = await setUp(t);
  await watch.look();
  watch.close();
  clock.set(400 * day);
  // After a reboot, nothing but the stored time tells.
  const again = await open();
  assert.ok((again.held?.aheadMs ?? 0) > 399 * day);
  assert.ok(again.retention.now() < clock.now() - 399 * day);
  await database.query
    .deleteFrom('audit')
    .where('at', '<', again.retention.now() - 365 * day)
    .execute();
  assert.equal(await audited(), 1);
  assert.ok((await schedules.list()).length > 0);
});

test('what was stored while the clock was ahead is not in the future when it is back', async (t) => {
  const { clock, watch, schedules, database, broker, blobs } = await setUp(t);
  schedules.registerTask('note', async () => {});
  clock.set(400 * day);
  await watch.look();
  const wrong = clock.now();
  const when = { kind: 'cron', cron: '0 * * * *' } as const;
  await schedules.create('hourly', { when, action: { kind: 'task', task: 'note' } }, 'anna');
  const item = {
    queue: 'q',
    owner: 'anna',
    weight: 1,
    batch: 'b',
    messageId: 'm',
    lane: 'normal',
    headersJson: '{}',
  };
  await database.query
    .insertInto('backlog')
    .values({ ...item, id: 'b', body: Buffer.from(''), notBefore: wrong + hour, paused: 0, createdAt: wrong })
    .execute();
  await database.query
    .insertInto('session')
    .values({ tokenHash: 'x', account: 'anna', createdAt: wrong, expiresAt: wrong + 8 * hour })
    .execute();
  const { hash } = await blobs.put(Buffer.from('given up'));
  await giveUpUnowned(database.query, [hash], wrong);
  await broker.declare('q');
  await broker.publish('q', { id: 'm', body: Buffer.from('') });
  const consumer = await broker.consume('q', { concurrency: 1 }, async (delivery) => {
    if (delivery.attempt === 1) return delivery.retry({ delayMs: 10_000, reason: 'later' });
    return delivery.ack();
  });
  await eventually('it is delayed', async () => (await broker.status('q')).delayed === 1);
  assert.ok(((await schedules.get('hourly')).nextAt ?? 0) > wrong);

  clock.set(-400 * day);
  const now = clock.now();
  assert.ok(((await schedules.get('hourly')).nextAt ?? 0) <= now + hour, 'even before anybody has looked');
  await watch.look();
  const [backlog] = await database.query.selectFrom('backlog').selectAll().execute();
  assert.deepEqual([backlog?.createdAt, backlog?.notBefore], [now, now + hour]);
  const [session] = await database.query.selectFrom('session').selectAll().execute();
  assert.equal(session?.expiresAt, now + 8 * hour);
  const [orphan] = await database.query.selectFrom('blobOrphan').selectAll().execute();
  assert.ok((orphan?.since ?? 0) <= now);
  const [message] = await broker.peek('q');
  assert.equal(message?.readyAt, now + 10_000);
  clock.advance(10_001);
  await eventually('it is delivered', async () => (await broker.status('q')).delayed === 0);
  await eventually('it is done', async () => (await broker.status('q')).inFlight === 0);
  await consumer.close();
});

test('small corrections and a machine that slept are no jumps', async (t) => {
  const { clock, watch, alerts } = await setUp(t);
  clock.set(30_000);
  clock.advance(3 * day);
  await watch.look();
  clock.set(-30_000);
  await watch.look();
  assert.equal(watch.held, undefined);
  assert.deepEqual(await alerts.list(), []);
});
