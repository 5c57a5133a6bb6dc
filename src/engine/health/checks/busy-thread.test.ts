import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusyWatch } from '../../process/busy-watch.ts';
import { ManualClock } from '../../time/clock.ts';
import { busyThread } from './busy-thread.ts';

function watch() {
  const clock = new ManualClock();
  let cpu = 0;
  const busyWatch = new BusyWatch({ now: () => clock.now(), cpuMs: () => cpu });
  return {
    clock,
    busyWatch,
    work(ms: number) {
      cpu += ms;
    },
    alerts: async () =>
      (await busyThread({ busyWatch, clock }, 'here').look()).map(({ reason }) => reason.message),
  };
}

test('an operation that keeps the main thread twice for more than 100 ms raises an alert with its name, until it has stopped', async () => {
  const { clock, busyWatch, work, alerts } = watch();
  busyWatch.sync('stage.create', () => work(99));
  busyWatch.sync('request.submit', () => work(300));
  assert.deepEqual(await alerts(), [], 'once may be the loading of modules');
  busyWatch.sync('request.submit', () => work(150));
  const [alert, ...others] = await alerts();
  assert.match(alert ?? '', /^request\.submit kept the main thread on here busy for 300 ms .* 2 times/);
  assert.deepEqual(others, []);
  assert.deepEqual(busyWatch.takeLongest(), { work: 'request.submit', ms: 300 });
  assert.equal(busyWatch.takeLongest().ms, 0);
  clock.advance(16 * 60_000);
  assert.deepEqual(await alerts(), []);
});

test('what an operation does after a wait is found too, and everything under way is suspected', async () => {
  const { busyWatch, work, alerts } = watch();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = busyWatch.during('upload.finish', () => promise.then(() => work(800)));
  busyWatch.look();
  resolve();
  await slow;
  busyWatch.look();
  assert.match((await alerts())[0] ?? '', /^upload\.finish kept the main thread on here busy for 780 ms/);
});

test('many short pieces are no long one', async () => {
  const { busyWatch, work, alerts } = watch();
  for (let count = 0; count < 50; count++) {
    busyWatch.sync('queue.ls', () => work(90));
    busyWatch.look();
  }
  assert.deepEqual(await alerts(), []);
  assert.equal(busyWatch.takeLongest().ms, 90);
});
