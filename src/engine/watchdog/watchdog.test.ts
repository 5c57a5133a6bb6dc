import assert from 'node:assert/strict';
import test from 'node:test';
import { pino } from 'pino';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { writePresence, writeWorker } from '../testing/worker-nodes.ts';
import { ManualClock } from '../time/clock.ts';
import { parseRecord, type WorkerPresence, type WorkerRecord, workersPath } from '../worker/worker-record.ts';
import { carryOut } from './carry-out.ts';
import { watchdogStatus } from './status.ts';
import { planNow, runWatchdog } from './watchdog.ts';

async function setUp(t: test.TestContext) {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const { coordination, broker, stages } = embedded;
  let published = 0;

  return {
    ...embedded,
    clock,
    stage: (name: string, more = {}) => stages.create({ name, processor: 'nothing', ...more }, 'test'),
    async publish(queue: string, count: number) {
      for (let i = 0; i < count; i++)
        await broker.publish(queue, { id: `m${published++}`, body: Buffer.from('') });
    },
    worker: (id: string, record: Partial<WorkerRecord> = {}, presence: Partial<WorkerPresence> | null = {}) =>
      writeWorker(coordination, id, record, presence),
    async stageOf(id: string) {
      const node = await coordination.get(`${workersPath}/${id}`);
      return node && parseRecord(node).stage;
    },
    watchdog(log = embedded.log) {
      const service = runWatchdog({ ...embedded, log });
      t.after(() => service.close());
      return service;
    },
    /** Lets the watchdog make one more plan. */
    async nextPlan() {
      const before = (await watchdogStatus(coordination))?.lastPlanAt ?? 0;
      await eventually('a plan is made', async () => {
        clock.advance(1000);
        return ((await watchdogStatus(coordination))?.lastPlanAt ?? 0) > before;
      });
    },
  };
}

test('an idle worker is assigned to the stage where work waits, and listeners get the event', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr');
  await it.publish('ocr', 3);
  await it.worker('w1');
  it.watchdog();
  await eventually('w1 serves ocr', async () => (await it.stageOf('w1')) === 'ocr');
  const node = await it.coordination.get(`${workersPath}/w1`);
  // It stays at least as long as the switch takes.
  assert.equal(node && parseRecord(node).unlockAt, it.clock.now() + 10_000);
  await eventually('the event arrives', () => it.events.recent({ kind: 'worker.assigned' }).length > 0);
  assert.deepEqual(it.events.recent({ kind: 'worker.assigned' })[0]?.dimensions, { stage: 'ocr', from: '' });
  assert.ok(
    it.changes
      .since(it.changes.lastId - 1)
      ?.some((change) => change.kind === 'worker' && change.entity === 'w1'),
  );
  await eventually('queue lengths are reported', () => it.events.recent({ kind: 'queue.length' }).length > 0);
  const status = await eventually('status', async () => {
    const now = await watchdogStatus(it.coordination);
    return now && now.moved > 0 ? now : undefined;
  });
  assert.equal(status.latest[0]?.worker, 'w1');
  assert.match(status.leader, /watchdog@/);
});

test('a dry run says what would be done and why, and does nothing', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr', { priority: 1 });
  await it.publish('ocr', 3);
  await it.worker('w1');
  const plan = await planNow(it);
  assert.deepEqual(
    plan.assignments.map(({ worker, to }) => [worker, to]),
    [['w1', 'ocr']],
  );
  assert.match(plan.assignments[0]?.reason ?? '', /it serves no stage; at ocr: 3 waiting/);
  assert.deepEqual(plan.queues[0], {
    stage: 'ocr',
    length: 3,
    averageMs: 1000,
    workers: 0,
    isServed: false,
    waitingMs: 0,
    priority: 1,
    parametric: 2,
    relative: 1,
    details: { remainingMs: 1000 },
  });
  assert.equal(await it.stageOf('w1'), null);
});

test('the settings choose the policy', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr', { priority: 1 });
  await it.publish('ocr', 3);
  await it.worker('w1');
  const settings = { ...it.settings, watchdog: { ...it.settings.watchdog, policy: 'parametric' as const } };
  const plan = await planNow({ ...it, settings });
  assert.match(plan.assignments[0]?.reason ?? '', /idle.*ocr.*3 in the queue/);
  assert.equal(plan.assignments[0]?.unlockAt, it.clock.now() + 10 * 1000 + 10_000);
  assert.equal(plan.queues[0]?.parametric, 6);
});

test('shared stages, dead and disabled workers are not planned', async (t) => {
  const it = await setUp(t);
  await it.stage('deliver', { mode: 'shared' });
  await it.stage('ocr');
  await it.publish('deliver', 3);
  await it.publish('ocr', 3);
  await it.worker('dead', {}, null);
  await it.worker('disabled', { enabled: false });
  await it.worker('living');
  assert.deepEqual(
    (await planNow(it)).assignments.map(({ worker, to }) => [worker, to]),
    [['living', 'ocr']],
  );
});

test('a later message wakes an idle worker', async (t) => {
  const it = await setUp(t);
  await it.stage('a');
  await it.stage('b');
  await it.worker('w1', { stage: 'a', unlockAt: 1e15 });
  it.watchdog();
  await it.nextPlan();
  assert.equal(await it.stageOf('w1'), 'a');
  await it.publish('b', 1);
  // The next plan may have been begun before the message came.
  await eventually('w1 serves b', async () => {
    await it.nextPlan();
    return (await it.stageOf('w1')) === 'b';
  });
});

test('a new leader continues with the averages and waiting times of the previous one', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr');
  await it.stage('gpu', { labels: ['gpu'] });
  await it.publish('gpu', 1);
  await it.worker('w1', {}, { timings: { ocr: { count: 10, meanMs: 400 } } });
  const first = it.watchdog();
  await it.nextPlan();
  const since = Number((await it.coordination.get('/watchdog/waiting/gpu'))?.value);
  assert.ok(since > 0);
  await writePresence(it.coordination, 'w1', { timings: { ocr: { count: 20, meanMs: 600 } } });
  await eventually('the averages are kept', async () => {
    await it.nextPlan();
    return (await it.coordination.get('/watchdog/averages'))?.value.includes('600');
  });
  await first.close();
  assert.equal(await watchdogStatus(it.coordination), undefined);

  it.clock.advance(60_000);
  it.watchdog();
  await it.nextPlan();
  const plan = await planNow(it);
  const [gpu, ocr] = plan.queues;
  assert.equal(ocr?.averageMs, 600);
  assert.equal(gpu?.waitingMs, it.clock.now() - since);
  assert.equal((await watchdogStatus(it.coordination))?.averages.ocr?.count, 20);
});

test('waiting time ends when the stage gets a worker, is emptied or deleted', async (t) => {
  const it = await setUp(t);
  for (const name of ['served', 'emptied', 'deleted']) {
    await it.stage(name, { labels: ['none'] });
    await it.publish(name, 1);
  }
  it.watchdog();
  await it.nextPlan();
  assert.equal((await it.coordination.children('/watchdog/waiting')).length, 3);
  const presence = { stage: 'served', loaded: ['served'] };
  await it.worker('w1', { stage: 'served', labels: ['none'], pinned: true }, presence);
  await it.broker.purge('emptied');
  await it.stages.delete('deleted', { force: true });
  await it.nextPlan();
  assert.deepEqual(await it.coordination.children('/watchdog/waiting'), []);
});

test('a round that fails is logged, and followed by one that works', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr');
  await it.worker('w1');
  const lines: string[] = [];
  it.watchdog(pino({}, { write: (line: string) => lines.push(line) }));
  await it.nextPlan();
  const spoiled = { name: 'spoiled', version: 1, definitionJson: '{', updatedAt: 0 };
  await it.database.query.insertInto('stage').values(spoiled).execute();
  await eventually('a round fails', () => {
    it.clock.advance(1000);
    return lines.some((line) => line.includes('a round failed'));
  });
  await it.publish('ocr', 1);
  await it.database.query.deleteFrom('stage').where('name', '=', 'spoiled').execute();
  await eventually('w1 is assigned', async () => {
    it.clock.advance(1000);
    return (await it.stageOf('w1')) === 'ocr';
  });
});

test('a worker that was pinned or forgotten since the snapshot is left alone', async (t) => {
  const it = await setUp(t);
  await it.stage('ocr');
  await it.publish('ocr', 1);
  const session = await it.openSession('leader');
  const hold = await session.hold('/services/test', 'leader');
  const context = { coordination: session, hold, signal: new AbortController().signal };
  const assignment = { from: null, to: 'ocr', unlockAt: 5, reason: '' };
  await it.worker('pinned', { pinned: true });
  assert.equal(await carryOut(context, { ...assignment, worker: 'pinned' }), false);
  assert.equal(await carryOut(context, { ...assignment, worker: 'forgotten' }), false);
  await it.worker('ready');
  assert.equal(await carryOut(context, { ...assignment, worker: 'ready' }), true);
  assert.deepEqual([await it.stageOf('pinned'), await it.stageOf('ready')], [null, 'ocr']);
});
