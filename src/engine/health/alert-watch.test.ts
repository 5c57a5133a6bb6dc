import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import { ManualClock } from '../time/clock.ts';
import { runAlertWatch } from './alert-watch.ts';
import { type Check, lookOnce } from './checks/check.ts';
import { deadLetters } from './checks/dead-letters.ts';
import { failedWorkers } from './checks/failed-workers.ts';
import { lowDisk } from './checks/low-disk.ts';
import { unreachableStores } from './checks/unreachable-stores.ts';
import { unservedStages } from './checks/unserved-stages.ts';

async function setUp(t: test.TestContext) {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const alerts = createAlerts({ ...embedded, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const parts = { ...embedded, clock, alerts };
  return {
    ...parts,
    /** The open alerts after one more look: `entity: reason` and the details. */
    async look(check: Check) {
      await lookOnce([check], parts);
      return (await alerts.list()).map(({ entity, reason, details }) => ({ entity, reason, details }));
    },
    publish: (queue: string, id: string) => embedded.broker.publish(queue, { id, body: Buffer.from('') }),
  };
}

test('waiting work without a worker raises an alert after a while, with the cause, and the alert clears when a worker comes', async (t) => {
  const it = await setUp(t);
  await it.stages.create({ name: 'ocr', processor: 'nothing', labels: ['gpu'] }, 'test');
  const check = unservedStages(it, 60_000);
  await it.publish('ocr', 'm1');
  assert.deepEqual(await it.look(check), []);
  it.clock.advance(59_999);
  assert.deepEqual(await it.look(check), []);
  it.clock.advance(1);
  const [alert] = await it.look(check);
  assert.deepEqual(alert?.details, { stage: 'ocr', waiting: 1, messages: ['m1'] });
  assert.match(alert?.reason ?? '', /1 waiting and no worker: no worker is alive/);

  const reason = async () => {
    it.clock.advance(30_000);
    return (await it.look(check))[0]?.reason ?? '';
  };
  await writeWorker(it.coordination, 'w1');
  assert.match(await reason(), /no live worker has the labels it needs \(gpu\)/);
  await writeWorker(it.coordination, 'w1', { labels: ['gpu'], enabled: false });
  assert.match(await reason(), /disabled/);
  await writeWorker(it.coordination, 'w1', { labels: ['gpu'], stage: 'other', pinned: true });
  assert.match(await reason(), /pinned to other stages/);
  await writeWorker(it.coordination, 'w1', { labels: ['gpu'], stage: 'other' });
  assert.match(await reason(), /busy with other stages/);
  await it.stages.change('ocr', { priority: -1 }, 'test');
  assert.match(await reason(), /priority is -1/);
  await writeWorker(
    it.coordination,
    'w1',
    { labels: ['gpu'], stage: 'ocr', failure: 'no model' },
    { state: 'FAILED' },
  );
  assert.match(await reason(), /worker w1 can't load it \(no model\)/);

  await writeWorker(it.coordination, 'w1', { labels: ['gpu'], stage: 'ocr' });
  assert.deepEqual(await it.look(check), []);
});

test('a paused or empty queue needs no worker, and any worker serves a shared stage', async (t) => {
  const it = await setUp(t);
  await it.stages.create({ name: 'deliver', processor: 'nothing', mode: 'shared' }, 'test');
  const check = unservedStages(it, 0);
  assert.deepEqual(await it.look(check), []);
  await it.publish('deliver', 'm1');
  assert.equal((await it.look(check)).length, 1);
  await it.broker.pause('deliver');
  assert.deepEqual(await it.look(check), []);
  await it.broker.resume('deliver');
  assert.equal((await it.look(check)).length, 1);
  await writeWorker(it.coordination, 'w1', { stage: 'whatever' });
  assert.deepEqual(await it.look(check), []);
});

test('dead letters raise an alert that outlives a restart and ends when nobody has to look at them any more', async (t) => {
  const it = await setUp(t);
  await it.broker.declare('q');
  const bury = async (id: string) => {
    const dead = (await it.broker.status('q')).dead;
    const consumer = await it.broker.consume('q', { concurrency: 1 }, (delivery) =>
      delivery.deadLetter(`no ${delivery.id}`),
    );
    await it.publish('q', id);
    await eventually('it is dead', async () => (await it.broker.status('q')).dead === dead + 1);
    await consumer.close();
  };
  assert.deepEqual(await it.look(deadLetters(it)), []);
  await bury('old');
  await bury('new');
  const [alert] = await it.look(deadLetters(it));
  assert.equal(alert?.entity, 'q');
  assert.match(alert?.reason ?? '', /2 dead letters in queue q; `pismak queue dead q` shows why/);
  assert.deepEqual(alert?.details.messages, [
    { id: 'old', reason: 'no old' },
    { id: 'new', reason: 'no new' },
  ]);
  it.clock.advance(86_400_000);
  assert.equal((await it.look(deadLetters(it))).length, 1, 'a new process sees them too');
  await it.broker.redrive('q');
  assert.deepEqual(await it.look(deadLetters(it)), []);
});

test('a worker that failed or vanished raises an alert, one that stopped or is disabled does not', async (t) => {
  const it = await setUp(t);
  const { coordination } = it;
  const check = failedWorkers(it);
  await writeWorker(
    coordination,
    'broken',
    { failure: 'stage ocr: no model', stage: 'ocr' },
    { state: 'FAILED' },
  );
  await writeWorker(coordination, 'killed', {}, null);
  await writeWorker(coordination, 'left', { leftAt: 1, failure: 'stage ocr: no model' }, null);
  await writeWorker(coordination, 'disabled', { enabled: false }, null);
  await writeWorker(coordination, 'well');
  assert.deepEqual(
    (await it.look(check)).map(({ entity, reason }) => [entity, reason]),
    [['broken', 'worker broken failed: stage ocr: no model']],
  );
  it.clock.advance(15_000);
  const open = await it.look(check);
  assert.deepEqual(open.map(({ entity }) => entity).sort(), ['broken', 'killed']);
  assert.deepEqual(open.find(({ entity }) => entity === 'killed')?.details, {
    worker: 'killed',
    host: 'here',
    stage: null,
  });
  await writeWorker(coordination, 'broken');
  await writeWorker(coordination, 'killed');
  assert.deepEqual(await it.look(check), []);
});

test('an unreachable store raises an alert, even if it is the one that keeps the alerts', async (t) => {
  const it = await setUp(t);
  const closed = await openSqliteDatabase({ file: join(it.directory, 'closed.db') });
  await closed.close();
  const alerts = createAlerts({ ...it, database: closed, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  await lookOnce([unreachableStores({ ...it, database: closed }, 'h1')], { ...it, alerts });
  const [alert] = await alerts.list();
  assert.deepEqual([alert?.kind, alert?.entity], ['store.unreachable', 'database@h1']);
  assert.match(alert?.reason ?? '', /database can't be reached from h1: .*closed/);
  await lookOnce([unreachableStores(it, 'h1')], { ...it, alerts });
  assert.deepEqual(await alerts.list(), []);
});

test('a host does not clear the alert of another host that cannot reach a store', async (t) => {
  const it = await setUp(t);
  const lost = await it.openSession('lost');
  await lost.close();
  const cutOff = unreachableStores({ ...it, coordination: lost }, 'h1');
  assert.deepEqual(
    (await it.look(cutOff)).map(({ entity }) => entity),
    ['coordination@h1'],
  );
  assert.equal((await it.look(unreachableStores(it, 'h2'))).length, 1);
  assert.equal((await it.look(unreachableStores(it, 'h1'))).length, 0);
});

test('a disk that is nearly full raises an alert until there is space again', async (t) => {
  const it = await setUp(t);
  const [alert] = await it.look(lowDisk(it.directory, 1e12, 'h1'));
  assert.equal(alert?.entity, `h1:${it.directory}`);
  assert.match(alert?.reason ?? '', /only \d+ MB are free/);
  assert.deepEqual(await it.look(lowDisk(it.directory, 0, 'h1')), []);
});

test('a failing check changes nothing and stops no other check', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('broken', 'e', 'r');
  const broken: Check = { kind: 'broken', look: () => Promise.reject(new Error('no')) };
  const reason = { code: 'good', parameters: {}, message: 'r' };
  const good: Check = { kind: 'good', look: async () => [{ entity: 'g', reason, details: {} }] };
  await lookOnce([broken, good], it);
  assert.deepEqual((await it.alerts.list()).map(({ kind }) => kind).sort(), ['broken', 'good']);
});

test('the watch raises and clears by itself', async (t) => {
  const it = await setUp(t);
  const watch = runAlertWatch(it);
  t.after(() => watch.close());
  await writeWorker(it.coordination, 'broken', { failure: 'stage ocr: no model' });
  const open = (count: number) =>
    eventually(`${count} open`, async () => {
      it.clock.advance(5000);
      return (await it.alerts.list()).filter(({ kind }) => kind === 'worker.failed').length === count;
    });
  await open(1);
  await writeWorker(it.coordination, 'broken');
  await open(0);
});
