import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { claimPresence } from './claim-presence.ts';
import { hasEnded, ownLife } from './process-life.ts';
import { presencePath, type WorkerPresence } from './worker-record.ts';

const path = `${presencePath}/w`;
const idle = {
  id: 'w',
  pid: process.pid,
  host: 'here',
  state: 'IDLE' as const,
  stage: null,
  stageVersion: 0,
  inFlight: 0,
  loaded: [],
  startedAt: 1,
  heartbeatAt: 1,
  timings: {},
  unable: {},
  switchMs: null,
};
const newcomer: WorkerPresence = { ...idle, process: ownLife(), life: 'newcomer' };

/** A node that another worker has left, and a newcomer that wants the name. */
async function scene(t: TestContext, left: Partial<WorkerPresence>) {
  const clock = new ManualClock();
  const parts = await openEmbedded(t);
  const [old, session] = [await parts.openSession('old'), await parts.openSession('new')];
  const presence = { ...idle, ...left };
  await old.create(path, JSON.stringify(presence), { ephemeral: true });
  const signal = new AbortController().signal;
  const claim = () => claimPresence(session, () => newcomer, { clock, log: parts.log, signal });
  return {
    old,
    claim,
    /** While it waits, time passes. */
    async claimInTime(meanwhile: () => unknown = () => {}) {
      let settled = false;
      const claiming = claim().finally(() => {
        settled = true;
      });
      claiming.catch(() => {});
      await eventually('it is decided', () => {
        clock.advance(250);
        void meanwhile();
        return settled;
      });
      return claiming;
    },
    beat: () => old.set(path, JSON.stringify({ ...presence, heartbeatAt: 2 })),
    owner: async () => (JSON.parse((await session.get(path))?.value ?? '{}') as WorkerPresence).life,
  };
}

test('the presence of a process that is gone is replaced, and so is that of the same worker', async (t) => {
  const child = spawn('true');
  await once(child, 'exit');
  const gone = { machine: ownLife()?.machine ?? '', pid: child.pid ?? 0, started: '1' };
  for (const left of [{ process: gone }, { process: { ...gone, pid: process.pid } }, { life: 'newcomer' }]) {
    const { claim, owner } = await scene(t, left);
    await claim();
    assert.equal(await owner(), 'newcomer');
  }
});

test('a worker whose process lives keeps its name', async (t) => {
  const { claim, owner } = await scene(t, { process: ownLife(), life: 'other' });
  await assert.rejects(claim(), {
    code: 'already-exists',
    message: /a worker named w is running \(process \d+ on here\)/,
  });
  assert.equal(await owner(), 'other');
});

test('a worker on a machine that we cannot see keeps its name if it shows a sign of life', async (t) => {
  const { claimInTime, beat } = await scene(t, { life: 'other' });
  await assert.rejects(claimInTime(beat), { code: 'already-exists' });
});

test('else its name is free when its session expires', async (t) => {
  const { claimInTime, old, owner } = await scene(t, { life: 'other' });
  const claiming = claimInTime();
  await old.close();
  await claiming;
  assert.equal(await owner(), 'newcomer');
});

test('a process on another machine, or in another container, is neither alive nor ended as far as we see', () => {
  assert.equal(hasEnded({ machine: 'elsewhere', pid: 1, started: '1' }), undefined);
  assert.equal(hasEnded(undefined), undefined);
});
