import assert from 'node:assert/strict';
import test from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock, sleep } from '../time/clock.ts';
import { everyPeriod, runService, type ServiceContext, servicePath } from './service.ts';

/** Candidates for one service in one cluster, and those that run. */
async function candidates(t: test.TestContext, count = 2) {
  const clock = new ManualClock();
  const { tree, log, coordination } = await openEmbedded(t, { clock });
  const running: ServiceContext[] = [];
  let mostAtOnce = 0;
  const services = Array.from({ length: count }, () =>
    runService({
      name: 'keeper',
      openSession: (identity: string) => tree.openSession(identity),
      clock,
      log,
      async run(context) {
        running.push(context);
        mostAtOnce = Math.max(mostAtOnce, running.length);
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        running.splice(running.indexOf(context), 1);
      },
    }),
  );
  t.after(() => Promise.all(services.map((service) => service.close())));
  const leader = () => eventually('there is a leader', () => running[0]);
  return { clock, tree, services, running, leader, coordination, mostAtOnce: () => mostAtOnce };
}

test('when the session of the leader expires a standby takes over, and two never run at once', async (t) => {
  const { tree, leader, running, clock, mostAtOnce } = await candidates(t, 3);
  const fences: number[] = [];
  for (let round = 0; round < 5; round++) {
    const { hold, coordination } = await leader();
    fences.push(hold.fence);
    await tree.expire(coordination.session);
    await eventually('the deposed leader stops', () => !running.some((context) => context.hold === hold));
    // Time passes for losers, so that they stand for election again.
    clock.advance(60_000);
  }
  assert.equal(mostAtOnce(), 1);
  assert.deepEqual(
    fences,
    fences.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(fences).size, 5);
});

test('writes of a deposed leader are refused', async (t) => {
  const { tree, leader, running, coordination } = await candidates(t);
  const old = await leader();
  await old.coordination.set('/plan', 'old', { under: old.hold });
  await tree.expire(old.coordination.session);
  await eventually('another leads', () => running[0] && running[0] !== old);
  await (await leader()).coordination.set('/plan', 'new', { under: (await leader()).hold });
  await assert.rejects(
    () => old.coordination.set('/plan', 'late', { under: old.hold }),
    (error) => hasCode(error, 'session-lost') || hasCode(error, 'hold-lost'),
  );
  await assert.rejects(
    () => coordination.set('/plan', 'late', { under: old.hold }),
    (error) => hasCode(error, 'hold-lost'),
  );
  assert.equal((await coordination.get('/plan'))?.value, 'new');
});

test('closing the leader hands over at once, and closing the last candidate leaves no leader', async (t) => {
  const { leader, running, services, coordination } = await candidates(t);
  const first = await leader();
  await services[0]?.close();
  const second = await eventually('the other leads', () => running[0]);
  assert.notEqual(second, first);
  await services[1]?.close();
  assert.equal(running.length, 0);
  assert.equal(await coordination.holder(servicePath('keeper')), undefined);
});

test('a service that throws is restarted after growing pauses', async (t) => {
  const clock = new ManualClock();
  const { tree, log } = await openEmbedded(t, { clock });
  const began: number[] = [];
  const service = runService({
    name: 'clumsy',
    openSession: (identity: string) => tree.openSession(identity),
    clock,
    log,
    async run() {
      began.push(clock.now());
      throw new Error('clumsy');
    },
  });
  t.after(() => service.close());
  for (let runs = 1; runs <= 4; runs++) {
    await eventually(`run ${runs}`, () => {
      if (began.length < runs) clock.advance(500);
      return began.length >= runs;
    });
  }
  const pauses = began.slice(1).map((at, index) => at - (began[index] ?? 0));
  assert.ok(
    pauses.every((pause, index) => pause >= 1000 * 2 ** index),
    `pauses were ${pauses}`,
  );
});

test('an unreachable coordination is retried', async (t) => {
  const { tree, log } = await openEmbedded(t);
  const clock = new ManualClock();
  let attempts = 0;
  let runs = 0;
  const service = runService({
    name: 'patient',
    clock,
    log,
    openSession(identity) {
      if (++attempts < 3) throw new Error('no answer');
      return tree.openSession(identity);
    },
    async run({ signal }) {
      runs++;
      await sleep(clock, 1e9, signal);
    },
  });
  t.after(() => service.close());
  await eventually('it runs', () => {
    if (runs === 0) clock.advance(1000);
    return runs > 0;
  });
  assert.equal(attempts, 3);
});

test('a round that fails does not stop the rounds after it', async (t) => {
  const { log } = await openEmbedded(t);
  const clock = new ManualClock();
  const stop = new AbortController();
  let rounds = 0;
  const ended = everyPeriod({ name: 'rounds', clock, log, periodMs: 1000, signal: stop.signal }, async () => {
    rounds++;
    if (rounds === 1) throw new Error('the first one fails');
    return undefined;
  });
  await eventually('three rounds', () => {
    clock.advance(1000);
    return rounds >= 3;
  });
  stop.abort();
  await ended;
});
