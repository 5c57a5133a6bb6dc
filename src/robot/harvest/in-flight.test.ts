import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptLimit, InFlight } from './in-flight.ts';

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

test('requests in flight grow while some wait and there is time, and shrink when there is none', () => {
  assert.ok(adaptLimit(32, { utilization: 0.3, waiting: 5 }) > 32);
  assert.equal(adaptLimit(32, { utilization: 0.3, waiting: 0 }), 32);
  assert.ok(adaptLimit(32, { utilization: 0.99, waiting: 5 }) < 32);
});
