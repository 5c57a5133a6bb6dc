import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusyWatch } from './busy-watch.ts';

function setUp() {
  let cpu = 0;
  const watch = new BusyWatch({ now: () => 1000, cpuMs: () => cpu });
  return { watch, spend: (ms: number) => (cpu += ms), names: () => watch.since(0).map(({ work }) => work) };
}

test('a synchronous piece of an operation is measured exactly, also within another', async () => {
  const { watch, spend } = setUp();
  await watch.during('a.ls', async () => void spend(99));
  assert.deepEqual(watch.since(0), []);
  assert.deepEqual(watch.takeLongest(), { work: 'a.ls', ms: 99 });
  await watch.during('b.ls', async () => {
    spend(60);
    watch.sync('part of b.ls', () => spend(60));
  });
  await watch.during('b.ls', async () => void spend(300));
  assert.deepEqual(watch.since(0), [{ work: 'b.ls', mostMs: 300, count: 2, lastAt: 1000 }]);
  assert.deepEqual(watch.since(1001), []);
});

test('of what is not measured, the operations under way or just ended are suspected, and services if there are none', async () => {
  const { watch, spend, names } = setUp();
  const rest = Promise.withResolvers<void>();
  const running = watch.during('a.ls', () => rest.promise);
  watch.look();
  spend(110);
  watch.look();
  assert.deepEqual(names(), [], 'up to a tick may have had breaks');
  spend(121);
  watch.look();
  assert.deepEqual(names(), ['a.ls']);
  rest.resolve();
  await running;
  spend(130);
  watch.sync('b.ls', () => spend(1));
  assert.deepEqual(names(), ['a.ls']);
  spend(130);
  watch.look();
  assert.deepEqual(names(), ['a.ls', 'a service']);
});

test('real work is noticed by the real clock', async (t) => {
  const watch = new BusyWatch();
  t.after(() => watch.close());
  watch.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  await watch.during('hog', async () => {
    setImmediate(() => {
      const before = process.threadCpuUsage().user;
      while (process.threadCpuUsage().user - before < 200_000);
      setTimeout(resolve, 40);
    });
    await promise;
  });
  assert.equal(watch.since(0)[0]?.work, 'hog');
});
