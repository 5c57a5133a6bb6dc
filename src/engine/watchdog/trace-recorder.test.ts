import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { QueueStatus } from '../broker/broker.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import { ManualClock } from '../time/clock.ts';
import { readTrace } from '../trace/trace-store.ts';
import type { WorkerPresence } from '../worker/worker-record.ts';
import { type Readings, read } from './snapshot.ts';
import { TraceRecorder } from './trace-recorder.ts';

async function setUp(t: TestContext) {
  const clock = new ManualClock(1_000_000);
  const embedded = await openEmbedded(t, { clock });
  await embedded.stages.create({ name: 'ocr', processor: 'nothing' }, 'test');
  return {
    ...embedded,
    clock,
    record: () => new TraceRecorder(embedded),
    worker: (presence: Partial<WorkerPresence>) =>
      writeWorker(embedded.coordination, 'w', { stage: 'ocr' }, { stage: 'ocr', ...presence }),
    /** Looks every second, for `seconds` seconds. */
    async watch(recorder: TraceRecorder, seconds: number) {
      const readings = await read(embedded);
      for (let second = 0; second < seconds; second++) {
        await recorder.see(readings, []);
        clock.advance(1000);
      }
    },
    async spans() {
      const to = clock.now();
      const { workers } = await readTrace(embedded.database, { from: 1_000_000, to });
      const all = workers.find(({ id }) => id === 'w')?.spans ?? [];
      return all.map(({ from, to, kind }) => [(from - 1_000_000) / 1000, (to - 1_000_000) / 1000, kind]);
    },
  };
}

test('the trace outlives its leader; time that the next leader did not see is a gap', async (t) => {
  const it = await setUp(t);
  await it.worker({ state: 'PROCESSING' });
  const first = it.record();
  await it.watch(first, 26);
  await first.close();
  it.clock.advance(34_000);
  await it.worker({ state: 'IDLE' });
  const second = it.record();
  await it.watch(second, 11);
  assert.deepEqual(await it.spans(), [
    [0, 25, 'serving'],
    [60, 70, 'idle'],
  ]);
});

test('after a leader is killed, everything but its last ten seconds is known', async (t) => {
  const it = await setUp(t);
  await it.worker({ state: 'PROCESSING' });
  await it.watch(it.record(), 28);
  assert.deepEqual(await it.spans(), [[0, 20, 'serving']]);
});

test('a leader that could not look for a while leaves a gap', async (t) => {
  const it = await setUp(t);
  await it.worker({ state: 'PROCESSING' });
  const recorder = it.record();
  await it.watch(recorder, 6);
  it.clock.advance(100_000);
  await it.watch(recorder, 6);
  await recorder.close();
  assert.deepEqual(await it.spans(), [
    [0, 5, 'serving'],
    [106, 111, 'serving'],
  ]);
});

test('a clock that is set back does not stop the trace', async (t) => {
  const it = await setUp(t);
  await it.worker({ state: 'PROCESSING' });
  const recorder = it.record();
  await it.watch(recorder, 16);
  it.clock.advance(-10_000);
  await it.watch(recorder, 21);
  assert.deepEqual(await it.spans(), [[0, 26, 'serving']]);
});

test('a failed write is a gap, after which the complete state is recorded', async (t) => {
  const it = await setUp(t);
  await it.worker({ state: 'PROCESSING' });
  const recorder = it.record();
  await it.watch(recorder, 11);
  await sql`ALTER TABLE "trace" RENAME TO "away"`.execute(it.database.query);
  await it.watch(recorder, 10);
  await sql`ALTER TABLE "away" RENAME TO "trace"`.execute(it.database.query);
  await it.watch(recorder, 12);
  assert.deepEqual(await it.spans(), [
    [0, 10, 'serving'],
    [21, 31, 'serving'],
  ]);
});

test('lengths of stage queues are recorded, those of output queues are not', async (t) => {
  const it = await setUp(t);
  await it.broker.declare('results-of-anna');
  await it.broker.publish('results-of-anna', { id: '1', body: Buffer.from('') });
  await it.broker.publish('ocr', { id: '1', body: Buffer.from('') });
  const recorder = it.record();
  await it.watch(recorder, 11);
  const { queues } = await readTrace(it.database, { from: 1_000_000, to: it.clock.now() });
  assert.deepEqual(
    queues.map(({ stage, points }) => [stage, points[0]?.length]),
    [['ocr', 1]],
  );
});

test('a day of twenty restless workers and ten stages takes less than half of the limit', async (t) => {
  const it = await setUp(t);
  const recorder = it.record();
  const minutes = 10;
  for (let second = 0; second < 60 * minutes; second++) {
    await recorder.see(restless(second), []);
    it.clock.advance(1000);
  }
  const { rows, size } = await it.database.query
    .selectFrom('trace')
    .select(({ fn }) => [fn.countAll<number>().as('rows'), fn.sum<number>('size').as('size')])
    .executeTakeFirstOrThrow();
  t.diagnostic(`${rows} rows and ${size} bytes in ${minutes} minutes`);
  assert.ok(rows <= 6 * minutes);
  assert.ok(((size + 200 * rows) / minutes) * 60 * 24 < (it.settings.trace.maxMb * 1e6) / 2);
});

/** Every worker rests 6 s after 2 s of work, and every queue keeps filling and emptying. */
function restless(second: number): Readings {
  const names = Array.from({ length: 10 }, (_, index) => `stage-number-${index}`);
  const busy = (index: number) => (second + index) % 8 < 2;
  return {
    waitingSince: new Map(),
    stages: names.map((name) => ({ name }) as Readings['stages'][number]),
    queues: names.map((name, index): QueueStatus => {
      const waiting = (second * (index + 1)) % 3 === 0 ? 0 : second * 17;
      return {
        name,
        delayed: 0,
        inFlight: second % 7,
        dead: 0,
        oldestAt: null,
        paused: false,
        maxLength: null,
        ready: { high: 0, normal: waiting },
      };
    }),
    workers: Array.from({ length: 20 }, (_, index) => {
      const state = busy(index) ? ('PROCESSING' as const) : ('IDLE' as const);
      const id = `machine-${index}`;
      const stage = names[index % names.length] ?? '';
      return {
        record: {
          id,
          host: 'here',
          labels: [],
          stage,
          enabled: true,
          pinned: false,
          unlockAt: 0,
          registeredAt: 0,
          failure: null,
          leftAt: null,
        },
        presence: {
          id,
          pid: 1,
          state,
          stage,
          stageVersion: 1,
          inFlight: busy(index) ? 1 : 0,
          loaded: [],
          startedAt: 1,
          heartbeatAt: 1,
          timings: {},
          unable: {},
          switchMs: null,
        },
        state,
      };
    }),
  };
}
