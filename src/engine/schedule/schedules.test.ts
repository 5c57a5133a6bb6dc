import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { z } from 'zod';
import { createAlerts } from '../alert/alert.ts';
import { hasCode } from '../ground/errors.ts';
import type { Submission } from '../request/submit.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import type { Parameters, ScheduleInput } from './schedule.ts';
import { runScheduler } from './scheduler.ts';
import { createSchedules, type TaskContext } from './schedules.ts';

const minute = 60_000;
const everyMinute = { kind: 'cron', cron: '* * * * *' } as const;

function task(name: string, parameters: Record<string, string> = {}): ScheduleInput['action'] {
  return { kind: 'task', task: name, parameters };
}

async function setUp(t: test.TestContext) {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:30Z'));
  const embedded = await openEmbedded(t, { clock });
  const schedules = createSchedules(embedded);
  const alerts = createAlerts({ ...embedded, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const submitted: Submission[] = [];
  const ran: Parameters[] = [];
  schedules.registerTask(
    'note',
    async ({ parameters, log }) => {
      ran.push(parameters as Parameters);
      log(`noted ${JSON.stringify(parameters)}`);
    },
    z.strictObject({
      a: z.string().optional(),
      b: z.string().max(5, 'it must be short').optional(),
      who: z.string().optional(),
    }),
  );
  schedules.registerTask('fail', async () => {
    throw new Error('no luck today');
  });
  return {
    ...embedded,
    clock,
    schedules,
    alerts,
    submitted,
    ran,
    start() {
      const service = runScheduler({
        ...embedded,
        schedules,
        alerts,
        submit: async (submission) => void submitted.push(submission),
      });
      t.after(() => service.close());
      return service;
    },
    /** Waits for `count` finished runs, while time goes on a little. */
    finished: (count: number, name?: string) =>
      eventually(`${count} runs of ${name}`, async () => {
        clock.advance(1);
        const runs = await schedules.history(name === undefined ? {} : { name });
        return runs.filter((run) => run.endedAt !== null).length >= count ? runs : undefined;
      }),
  };
}

test('a task runs at its time, once per tick, and leaves a log', async (t) => {
  const it = await setUp(t);
  it.start();
  const schedule = await it.schedules.create(
    'noting',
    { when: everyMinute, action: task('note', { a: '1' }) },
    'anna',
  );
  assert.equal(schedule.nextAt, Date.parse('2026-01-01T00:01:00Z'));
  for (let ticks = 1; ticks <= 3; ticks++) {
    it.clock.advance(minute);
    await it.finished(ticks, 'noting');
  }
  const runs = await it.schedules.history({ name: 'noting' });
  assert.deepEqual(
    runs.map((run) => [run.tick, run.status, run.log]),
    ['03', '02', '01'].map((at) => [`2026-01-01T00:${at}:00.000Z`, 'succeeded', 'noted {"a":"1"}\n']),
  );
});

test('two processes on one cluster run each tick once', async (t) => {
  const it = await setUp(t);
  await it.schedules.create('noting', { when: everyMinute, action: task('note') }, 'anna');
  const first = it.start();
  it.start();
  it.clock.advance(minute);
  await it.finished(1);
  await first.close();
  it.clock.advance(minute);
  await it.finished(2);
  assert.equal(it.ran.length, 2);
  assert.equal((await it.schedules.history()).length, 2);
});

test('one run catches up on ticks missed while nothing ran', async (t) => {
  const it = await setUp(t);
  await it.schedules.create('noting', { when: everyMinute, action: task('note') }, 'anna');
  it.clock.advance(3 * 24 * 60 * minute);
  it.start();
  await it.finished(1);
  it.clock.advance(minute);
  await it.finished(2);
  assert.equal(it.ran.length, 2);
});

test('a schedule whose run outlasts its period never runs twice at once', async (t) => {
  const it = await setUp(t);
  const started: TaskContext[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  it.schedules.registerTask('long', async (context) => {
    started.push(context);
    await Promise.race([released, once(context.signal, 'abort')]);
  });
  await it.schedules.create('lasting', { when: everyMinute, action: task('long') }, 'anna');
  await it.schedules.create('noting', { when: everyMinute, action: task('note') }, 'anna');
  it.start();
  it.clock.advance(minute);
  await eventually('it has started', () => {
    it.clock.advance(1);
    return started.length === 1;
  });
  for (let ticks = 2; ticks <= 4; ticks++) {
    it.clock.advance(minute);
    await it.finished(ticks, 'noting');
  }
  assert.equal(started.length, 1);
  release();
  await eventually('one run catches up on the ticks in between', () => {
    it.clock.advance(1);
    return started.length === 2;
  });
  const lasting = await it.finished(2, 'lasting');
  assert.deepEqual(
    lasting.map((run) => run.tick),
    ['2026-01-01T00:02:00.000Z', '2026-01-01T00:01:00.000Z'],
  );
});

test('a schedule can be run now, with parameters, even when disabled', async (t) => {
  const it = await setUp(t);
  it.start();
  await it.schedules.create(
    'noting',
    { when: everyMinute, action: task('note', { a: '1', b: '1' }) },
    'anna',
  );
  await it.schedules.disable('noting');
  const run = await it.schedules.run('noting', { b: '2' });
  assert.equal(run.status, 'queued');
  const [ended] = await it.finished(1);
  assert.deepEqual([ended?.id, ended?.status], [run.id, 'succeeded']);
  assert.deepEqual(it.ran, [{ a: '1', b: '2' }]);
});

test('a run by hand does not shift the times', async (t) => {
  const it = await setUp(t);
  await it.schedules.create('noting', { when: everyMinute, action: task('note') }, 'anna');
  await it.schedules.run('noting');
  it.clock.advance(minute);
  it.start();
  const runs = await it.finished(2);
  assert.ok(runs.some((run) => run.tick === '2026-01-01T00:01:00.000Z'));
});

test('a disabled schedule has no next time, and missed ticks are not caught up', async (t) => {
  const it = await setUp(t);
  await it.schedules.create('noting', { when: everyMinute, action: task('note') }, 'anna');
  await it.schedules.disable('noting');
  assert.equal((await it.schedules.get('noting')).nextAt, null);
  it.clock.advance(60 * minute);
  await it.schedules.enable('noting');
  assert.equal((await it.schedules.get('noting')).nextAt, Date.parse('2026-01-01T01:01:00Z'));
});

test('a chained schedule runs after a success and not after a failure', async (t) => {
  const it = await setUp(t);
  const after = (schedule: string) => ({ kind: 'after', schedule }) as const;
  await it.schedules.create('good', { when: everyMinute, action: task('note', { who: 'good' }) }, 'anna');
  await it.schedules.create('bad', { when: everyMinute, action: task('fail') }, 'anna');
  await it.schedules.create('then', { when: after('good'), action: task('note', { who: 'then' }) }, 'anna');
  await it.schedules.create('last', { when: after('then'), action: task('note', { who: 'last' }) }, 'anna');
  await it.schedules.create('never', { when: after('bad'), action: task('note', { who: 'never' }) }, 'anna');
  it.start();
  it.clock.advance(minute);
  await it.finished(4);
  assert.deepEqual(it.ran, [{ who: 'good' }, { who: 'then' }, { who: 'last' }]);
  assert.deepEqual(await it.schedules.history({ name: 'never' }), []);
  const [good] = await it.schedules.history({ name: 'good' });
  assert.equal((await it.schedules.history({ name: 'then' }))[0]?.tick, `after:${good?.id}`);
});

test('a failure is in the log and raises an alert, and the next success clears it', async (t) => {
  const it = await setUp(t);
  let lucky = false;
  it.schedules.registerTask('luck', async () => {
    if (!lucky) throw new Error('no luck today');
  });
  await it.schedules.create('gamble', { when: everyMinute, action: task('luck') }, 'anna');
  it.start();
  it.clock.advance(minute);
  const [run] = await it.finished(1);
  assert.deepEqual([run?.status, run?.log], ['failed', 'no luck today\n']);
  const [alert] = await eventually('an alert', async () => {
    const open = await it.alerts.list();
    return open.length > 0 ? open : undefined;
  });
  assert.deepEqual(
    [alert?.kind, alert?.entity, alert?.details],
    ['schedule.failed', 'gamble', { run: run?.id }],
  );
  lucky = true;
  it.clock.advance(minute);
  await it.finished(2);
  await eventually('the alert is over', async () => (await it.alerts.list()).length === 0);
});

test('a run that was under way when its process was killed is failed as interrupted by the next leader', async (t) => {
  const it = await setUp(t);
  let lives = 0;
  it.schedules.registerTask('hang', async () => {
    if (++lives === 1) await new Promise(() => {});
  });
  await it.schedules.create('hanging', { when: everyMinute, action: task('hang') }, 'anna');
  const session = await it.openSession('scheduler');
  // Never closed: it just goes silent.
  runScheduler({ ...it, submit: async () => {}, openSession: async () => session });
  it.clock.advance(minute);
  await eventually('it has started', () => {
    it.clock.advance(1);
    return lives === 1;
  });
  await it.tree.expire(session.session);
  it.start();
  const [interrupted] = await it.finished(1);
  assert.equal(interrupted?.status, 'failed');
  assert.match(interrupted?.log ?? '', /interrupted/);
  it.clock.advance(minute);
  const [next] = await it.finished(2);
  assert.equal(next?.status, 'succeeded');
});

test('parameters that a task does not know are refused when a schedule is created, changed and run', async (t) => {
  const { schedules } = await setUp(t);
  const refused = (work: Promise<unknown>, message: RegExp) =>
    assert.rejects(work, (error: Error) => hasCode(error, 'invalid-input') && message.test(error.message));
  const create = (action: ScheduleInput['action']) =>
    schedules.create('x', { when: everyMinute, action }, 'anna');
  await refused(
    create(task('note', { aa: '1' })),
    /takes a, b, who: there is no parameter aa; did you mean a\?/,
  );
  await refused(create(task('fail', { a: '1' })), /task fail takes no parameters: there is no parameter a/);
  await create(task('note', { a: '1' }));
  await refused(schedules.run('x', { user: 'acme' }), /there is no parameter user/);
  await refused(schedules.run('x', { b: 'too long' }), /parameter b: it must be short/);
  await refused(
    schedules.set('x', { when: everyMinute, action: task('fail', { a: '1' }) }, 'anna'),
    /no parameters/,
  );
  assert.deepEqual(await schedules.history(), []);
});

test('the log of a run is readable while it runs, and cancelling the run stops it without an alert', async (t) => {
  const it = await setUp(t);
  const stopped: string[] = [];
  it.schedules.registerTask('long', async ({ signal, log }) => {
    log('page 1');
    await once(signal, 'abort');
    stopped.push('by its signal');
    throw signal.reason;
  });
  await it.schedules.create('lasting', { when: everyMinute, action: task('long') }, 'anna');
  await it.schedules.create(
    'then',
    { when: { kind: 'after', schedule: 'lasting' }, action: task('note') },
    'anna',
  );
  it.start();
  const run = await it.schedules.run('lasting');
  await eventually('a line of the log', async () => {
    it.clock.advance(100);
    const found = await it.schedules.findRun('lasting');
    return found.status === 'running' && found.log === 'page 1\n';
  });
  const waiting = await it.schedules.run('lasting');
  const cancelled = await it.schedules.cancel('lasting', { by: 'bert' });
  assert.deepEqual(
    cancelled.map(({ id, status, cancelledBy }) => [id, status, cancelledBy]),
    [
      [waiting.id, 'cancelled', 'bert'],
      [run.id, 'running', 'bert'],
    ],
  );
  await it.finished(2, 'lasting');
  const { status, log } = await it.schedules.findRun('lasting', run.id);
  assert.deepEqual([status, log, stopped], ['cancelled', 'page 1\ncancelled by bert\n', ['by its signal']]);
  assert.deepEqual(await it.alerts.list(), []);
  assert.deepEqual(await it.schedules.history({ name: 'then' }), []);
  await assert.rejects(it.schedules.cancel('lasting', { by: 'bert' }), (error) => hasCode(error, 'conflict'));
});

test('deleting a schedule stops its run', async (t) => {
  const it = await setUp(t);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let begun = false;
  it.schedules.registerTask('long', async ({ signal }) => {
    begun = true;
    await once(signal, 'abort');
    resolve();
  });
  await it.schedules.create('lasting', { when: everyMinute, action: task('long') }, 'anna');
  it.start();
  await it.schedules.run('lasting');
  await eventually('it has begun', () => begun);
  await it.schedules.delete('lasting');
  await stopped;
});

test('a schedule is changed only under a known name and from the version that was read', async (t) => {
  const { schedules } = await setUp(t);
  const refused = (code: 'not-found' | 'conflict', work: Promise<unknown>) =>
    assert.rejects(work, (error) => hasCode(error, code));
  const noting = { when: everyMinute, action: task('note') };
  await refused('not-found', schedules.set('x', noting, 'anna'));
  assert.equal((await schedules.create('x', noting, 'anna')).version, 1);
  const changed = await schedules.set('x', { ...noting, action: task('note', { a: '1' }) }, 'ben', 1);
  assert.deepEqual([changed.version, changed.owner, changed.changedBy], [2, 'anna', 'ben']);
  await assert.rejects(schedules.set('x', noting, 'anna', 1), {
    code: 'conflict',
    details: { base: 1, version: 2, changedBy: 'ben', changedAt: changed.updatedAt },
  });
  assert.deepEqual((await schedules.get('x')).definition, changed.definition);
  await schedules.create('y', { ...noting, when: { kind: 'after', schedule: 'x' } }, 'anna');
  await refused(
    'conflict',
    schedules.set('x', { ...noting, when: { kind: 'after', schedule: 'y' } }, 'anna'),
  );
});

test('a request is published to stages, with the parameters as a file', async (t) => {
  const it = await setUp(t);
  const action = {
    kind: 'publish',
    stages: ['ocr', 'out'],
    files: [{ name: 'seed.txt', content: 'žluť' }],
  } as const;
  await it.schedules.create(
    'sending',
    { when: everyMinute, action: { ...action, files: [...action.files], stages: [...action.stages] } },
    'anna',
  );
  it.start();
  const run = await it.schedules.run('sending', { depth: 3 });
  await it.finished(1);
  const [submission] = it.submitted;
  assert.deepEqual(
    [submission?.uuid, submission?.owner, submission?.stages],
    [run.id, 'anna', ['ocr', 'out']],
  );
  const files = submission?.files.map((file) => [
    file.name,
    'content' in file ? Buffer.from(file.content).toString() : '',
  ]);
  assert.deepEqual(files, [
    ['seed.txt', 'žluť'],
    ['parameters.json', '{"depth":3}'],
  ]);
});

test('unknown tasks, unknown predecessors, taken names and deleting a predecessor are refused', async (t) => {
  const { schedules } = await setUp(t);
  const refused = (
    code: 'invalid-input' | 'not-found' | 'already-exists' | 'conflict',
    work: Promise<unknown>,
  ) => assert.rejects(work, (error) => hasCode(error, code));
  await refused(
    'invalid-input',
    schedules.create('x', { when: everyMinute, action: task('unheard') }, 'anna'),
  );
  await refused(
    'not-found',
    schedules.create('x', { when: { kind: 'after', schedule: 'y' }, action: task('note') }, 'anna'),
  );
  await schedules.create('x', { when: everyMinute, action: task('note') }, 'anna');
  await refused('already-exists', schedules.create('x', { when: everyMinute, action: task('note') }, 'anna'));
  await schedules.ensure('x', { when: everyMinute, action: task('note') }, 'anna');
  await schedules.create('y', { when: { kind: 'after', schedule: 'x' }, action: task('note') }, 'anna');
  await refused('conflict', schedules.delete('x'));
  await schedules.delete('y');
  await schedules.delete('x');
  await refused('not-found', schedules.run('x'));
  assert.deepEqual(await schedules.list(), []);
});
