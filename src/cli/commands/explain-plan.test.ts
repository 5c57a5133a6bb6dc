import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../engine/watchdog/policy.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';

const plan: Plan = {
  queues: [
    {
      stage: 'ocr',
      length: 3,
      averageMs: 1500,
      workers: 0,
      waitingMs: 2000,
      priority: 1,
      parametric: 13,
      relative: 0.8125,
      details: { drain: 12.34567, lot: 4 },
    },
    {
      stage: 'merge',
      length: 6,
      averageMs: 1000,
      workers: 1,
      waitingMs: 0,
      priority: 0,
      parametric: 3,
      relative: 0.1875,
    },
  ],
  assignments: [
    {
      worker: 'w1',
      from: 'merge',
      to: 'ocr',
      unlockAt: 0,
      reason: 'moved from lower priority',
      details: { gain: 7.5, cost: 2, freeInMs: 61_500 },
    },
  ],
};

test('a plan is explained: how each number was computed and, for each move, what was compared', async () => {
  const client = fakeClient({ 'watchdog.plan': plan });
  const { stdout } = await runCommand(['watchdog', 'plan', '--explain'], { client });
  assert.match(
    stdout,
    /ocr: PP = \(L 3 \* AMT 1.5 s \/ \(NW 0 \+ 1\) \+ WT 2 s\) \* \(AP 1 \+ 1\) = 13.00; P = 13.00 \/ 16.00 = 81.3 %/,
  );
  assert.match(stdout, /w1: merge -> ocr/);
  assert.match(stdout, /merge +6 waiting, 1 serving, PP 3.00, P 18.8 %/);
  assert.match(stdout, /ocr +3 waiting, 0 serving, PP 13.00, P 81.3 %/);
  assert.match(stdout, /DRAIN +LOT$/m, 'numbers that only this policy has are columns too');
  assert.match(stdout, /81.3 % +12.35 +4$/m);
  assert.match(stdout, /gain +7.5$/m);
  assert.match(stdout, /free in +1 min 2 s$/m, 'times are for people');
});

test('a number that comes from another formula is not explained by this one', async () => {
  const queues = plan.queues.map((queue) => ({ ...queue, parametric: 5 }));
  const client = fakeClient({ 'watchdog.plan': { queues, assignments: [] } });
  const { stdout } = await runCommand(['watchdog', 'plan', '--explain'], { client });
  assert.match(stdout, /^ocr: PP = 5.00$/m);
  assert.match(stdout, /no worker would move/);
});

test('without being asked to explain, a plan stays short', async () => {
  const { stdout } = await runCommand(['watchdog', 'plan'], {
    client: fakeClient({ 'watchdog.plan': plan }),
  });
  assert.doesNotMatch(stdout, /DRAIN|PP =/);
});

test('a plan of flow is explained in the words of flow', async () => {
  const numbers = { averageMs: 1500, waitingMs: 2000, relative: 0.5 };
  const flow: Plan = {
    queues: [
      {
        ...numbers,
        stage: 'ocr',
        length: 3,
        workers: 0,
        priority: 1,
        parametric: 0.8,
        details: { remainingMs: 2500 },
      },
      {
        ...numbers,
        stage: 'merge',
        length: 0,
        workers: 1,
        priority: 0,
        parametric: 0,
        details: { remainingMs: 1000 },
      },
    ],
    assignments: [
      {
        worker: 'w1',
        from: 'merge',
        to: 'ocr',
        unlockAt: 0,
        reason: 'nothing waits at merge',
        details: { switchMs: 1200, lot: 4, freeInMs: 0 },
      },
    ],
  };
  const client = fakeClient({ 'watchdog.plan': flow });
  const { stdout } = await runCommand(['watchdog', 'plan', '--explain'], { client });
  assert.match(stdout, /^STAGE +WAITING +SERVING +UNSERVED +PER MESSAGE +REMAINING +PRIORITY +URGENCY$/m);
  assert.match(stdout, /^ocr: urgency = \(priority 1 \+ 1\) \/ 2.5 s of remaining work = 0.8$/m);
  assert.match(
    stdout,
    /^merge: urgency = \(priority 0 \+ 1\) \/ 1 s of remaining work = 1, but nothing waits$/m,
  );
  assert.match(stdout, /^ +ocr +3 waiting, 0 serving, urgency 0.8$/m);
  assert.match(stdout, /^ +lot +4$/m);
  assert.doesNotMatch(stdout, /\b(PP?|AMT|NW|WT|AP|L)\b/, 'words of the other policy');
  const short = await runCommand(['watchdog', 'plan'], { client: fakeClient({ 'watchdog.plan': flow }) });
  assert.doesNotMatch(short.stdout, /\b(PP?|AMT|NW|WT|AP|L)\b/);
});
