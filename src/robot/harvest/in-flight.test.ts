import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptLimit, InFlight } from './in-flight.ts';
import { threadsWanted } from './threads-wanted.ts';

test('never more run at once than allowed, and all get their turn', async () => {
  const inFlight = new InFlight(3);
  let running = 0;
  let most = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 50 }, () =>
      inFlight.run(async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        done++;
      }),
    ),
  );
  assert.deepEqual([most, done], [3, 50]);
});

test('a higher limit counts at once', async () => {
  const inFlight = new InFlight(1);
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 3 }, () =>
    inFlight.run(() => new Promise<void>((resolve) => ends.push(resolve))),
  );
  assert.deepEqual([inFlight.running, inFlight.waiting], [1, 2]);
  inFlight.limit = 3;
  assert.deepEqual([inFlight.running, inFlight.waiting], [3, 0]);
  await new Promise((resolve) => setImmediate(resolve));
  for (const end of ends) end();
  await Promise.all(all);
  assert.equal(inFlight.running, 0);
});

test('requests in flight grow while some wait and there is time, and shrink when there is none', () => {
  assert.ok(adaptLimit(32, { utilization: 0.3, waiting: 5 }) > 32);
  assert.equal(adaptLimit(32, { utilization: 0.3, waiting: 0 }), 32);
  assert.ok(adaptLimit(32, { utilization: 0.99, waiting: 5 }) < 32);
});

test('threads come while all are busy and the machine has time, and go when they are idle', () => {
  const usual = { threads: 2, shares: 8, idle: 0.5, cores: 4 };
  assert.equal(threadsWanted({ ...usual, busy: 0.9 }), 3);
  assert.equal(threadsWanted({ ...usual, busy: 0.9, threads: 4 }), 4);
  assert.equal(threadsWanted({ ...usual, busy: 0.9, idle: 0.02 }), 2, 'the machine has no time');
  assert.equal(threadsWanted({ ...usual, busy: 0.9, shares: 2 }), 2, 'nothing waits');
  assert.equal(threadsWanted({ ...usual, busy: 0.1 }), 1);
  assert.equal(threadsWanted({ ...usual, busy: 0, threads: 1 }), 1);
});
