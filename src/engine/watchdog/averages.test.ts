import assert from 'node:assert/strict';
import test from 'node:test';
import type { WorkerPresence } from '../worker/worker-record.ts';
import { AverageKeeper } from './averages.ts';

function presence(id: string, timings: WorkerPresence['timings'], startedAt = 1): WorkerPresence {
  return {
    id,
    timings,
    startedAt,
    pid: 1,
    state: 'PROCESSING',
    stage: 'ocr',
    stageVersion: 1,
    inFlight: 0,
    loaded: [],
    heartbeatAt: 2,
    unable: {},
    switchMs: null,
  };
}

test('the averages of workers are merged by how many messages each processed', () => {
  const keeper = new AverageKeeper(undefined);
  keeper.add([
    presence('w1', { ocr: { count: 30, meanMs: 100 } }),
    presence('w2', { ocr: { count: 10, meanMs: 300 } }),
  ]);
  assert.deepEqual(keeper.averages, { ocr: { count: 40, meanMs: 150 } });
});

test('repeated reports of a worker do not change an average', () => {
  const keeper = new AverageKeeper(undefined);
  for (let beat = 0; beat < 100; beat++) keeper.add([presence('w1', { ocr: { count: 10, meanMs: 200 } })]);
  assert.deepEqual(keeper.averages, { ocr: { count: 10, meanMs: 200 } });
});

test('steady work of 200 ms averages to 200 ms, not to twice that', () => {
  const keeper = new AverageKeeper(undefined);
  for (let count = 1; count <= 5000; count++) keeper.add([presence('w1', { ocr: { count, meanMs: 200 } })]);
  assert.ok(Math.abs((keeper.averages.ocr?.meanMs ?? 0) - 200) < 1e-6);
});

test('an average follows when a stage becomes slower', () => {
  const keeper = new AverageKeeper({ ocr: { count: 1_000_000, meanMs: 100 } });
  keeper.add([presence('w1', { ocr: { count: 9000, meanMs: 1000 } })]);
  assert.ok((keeper.averages.ocr?.meanMs ?? 0) > 900);
});

test('a restarted worker counts from zero, and its earlier work still counts', () => {
  const keeper = new AverageKeeper(undefined);
  keeper.add([presence('w1', { ocr: { count: 10, meanMs: 100 } }, 1)]);
  keeper.add([presence('w1', { ocr: { count: 10, meanMs: 300 } }, 2)]);
  assert.deepEqual(keeper.averages, { ocr: { count: 20, meanMs: 200 } });
});

test('a new leader continues from the known averages and counts nothing twice', () => {
  const before = presence('w1', { ocr: { count: 10, meanMs: 100 } });
  const keeper = new AverageKeeper({ ocr: { count: 10, meanMs: 100 } }, [before]);
  assert.equal(keeper.add([before]), false);
  assert.equal(keeper.add([presence('w1', { ocr: { count: 20, meanMs: 200 } })]), true);
  assert.deepEqual(keeper.averages, { ocr: { count: 20, meanMs: 200 } });
});

test('deleted stages are forgotten', () => {
  const keeper = new AverageKeeper({ ocr: { count: 1, meanMs: 1 }, gone: { count: 1, meanMs: 1 } });
  keeper.keepOnly(new Set(['ocr']));
  assert.deepEqual(Object.keys(keeper.averages), ['ocr']);
});

test('transitions to the next stage are counted once and merged like the times', () => {
  const keeper = new AverageKeeper(undefined);
  const first = presence('w1', { ocr: { count: 4, meanMs: 100, next: { export: 3 } } });
  keeper.add([first]);
  keeper.add([first, presence('w2', { ocr: { count: 4, meanMs: 100, next: { export: 1, check: 2 } } })]);
  assert.deepEqual(keeper.averages.ocr, { count: 8, meanMs: 100, next: { export: 4, check: 2 } });
});

test('a transition that messages no longer take is forgotten', () => {
  const keeper = new AverageKeeper({ ocr: { count: 1000, meanMs: 100, next: { old: 1000 } } });
  let count = 0;
  const share = () => (keeper.averages.ocr?.next?.old ?? 0) / (keeper.averages.ocr?.count ?? 1);
  assert.equal(share(), 1);
  for (let beat = 0; beat < 50; beat++) {
    count += 1000;
    keeper.add([presence('w1', { ocr: { count, meanMs: 100, next: { new: count } } })]);
  }
  assert.equal(share(), 0);
  assert.ok((keeper.averages.ocr?.next?.new ?? 0) > 1000);
});
