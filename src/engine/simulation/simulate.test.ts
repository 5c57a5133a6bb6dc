import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { flow } from '../watchdog/flow.ts';
import { parametric } from '../watchdog/parametric.ts';
import { policies } from '../watchdog/policies.ts';
import { drawRequests } from './draw-requests.ts';
import { mean, measure, quantile } from './measures.ts';
import { SimulatedTrace } from './recorder.ts';
import { referenceMean } from './reference.ts';
import { simulate } from './simulate.ts';
import { type Workload, type WorkloadText, workload } from './workload.ts';
import { workloads } from './workloads.ts';

function builtIn(name: string, more: Partial<WorkloadText> = {}): Workload {
  return workload.parse({ name, ...workloads[name], ...more });
}

function meanOver(seeds: number, of: (seed: number) => number): number {
  return mean(Array.from({ length: seeds }, (_, index) => of(index + 1)));
}

/** Any workload of some stages that workers of two kinds can serve. */
const anyWorkload = fc
  .record({
    times: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: 1, maxLength: 4 }),
    reconfiguration: fc.constantFrom(0, 1, 10),
    warm: fc.constantFrom(0, 0.5),
    workers: fc.integer({ min: 1, max: 4 }),
    every: fc.integer({ min: 1, max: 60 }),
    random: fc.boolean(),
  })
  .map(({ times, workers, every, random, ...more }) =>
    workload.parse({
      stages: times.map(([least, more], index) => ({
        name: `s${index}`,
        time: [least, least + more],
        labels: index === 1 ? ['gpu'] : [],
      })),
      workers: [{ count: workers }, { labels: ['gpu'] }],
      arrivals: [{ count: 2, every, series: 10, random }],
      ...more,
    }),
  );

for (const [name, policy] of Object.entries(policies)) {
  test(`${name} finishes all requests, and workers work exactly as long as drawn`, () => {
    fc.assert(
      fc.property(anyWorkload, fc.nat(1000), (load, seed) => {
        const outcome = simulate(load, policy, seed);
        const requests = drawRequests(load, seed);
        assert.equal(outcome.finished.length, requests.length);
        const drawn = requests.flatMap(({ steps }) => steps.map(({ ms }) => ms));
        const count = load.workers.reduce((sum, each) => sum + each.count, 0);
        const worked = outcome.workingShare * outcome.makespanMs * count;
        const expected = drawn.reduce((sum, ms) => sum + ms, 0);
        if (outcome.makespanMs > 0) assert.ok(Math.abs(worked - expected) <= 1 + expected * 1e-9);
        assert.ok(outcome.workingShare + outcome.switchingShare <= 1 + 1e-9 || outcome.makespanMs === 0);
        // A request only waits or is processed.
        const waited = [...outcome.waits.values()].flat().reduce((sum, ms) => sum + ms, 0);
        const inSystem = outcome.finished.reduce((sum, each) => sum + each.finishedAt - each.arrivedAt, 0);
        assert.ok(Math.abs(inSystem - waited - expected) <= 1 + inSystem * 1e-9);
      }),
    );
  });
}

test('the same seed gives the same run, another seed another run', () => {
  const run = (seed: number) => simulate(builtIn('seed'), flow, seed);
  assert.deepEqual(run(1), run(1));
  assert.notDeepEqual(run(1), run(2));
});

test('the picture shows what happened: each worker does one thing at a time, queues end empty', () => {
  const recorder = new SimulatedTrace();
  const load = builtIn('seed');
  const outcome = simulate(load, flow, 1, recorder);
  const { trace } = recorder;
  assert.deepEqual(
    trace.workers.map(({ id }) => id),
    ['worker1', 'worker2'],
  );
  for (const { spans } of trace.workers) {
    for (const [index, { from, to }] of spans.entries()) {
      assert.ok(from <= to);
      assert.ok(to <= (spans[index + 1]?.from ?? trace.to));
    }
  }
  const switching = trace.workers.flatMap(({ spans }) => spans.filter(({ kind }) => kind === 'switching'));
  assert.equal(switching.length, outcome.switches);
  for (const { points } of trace.queues) assert.equal(points.at(-1)?.length, 0);
});

test('parametric on seed matches an independent simulation: 1,690 s, within 10 %', () => {
  const found = meanOver(20, (seed) => measure(simulate(builtIn('seed'), parametric, seed)).meanTimeInSystem);
  assert.ok(Math.abs(found / 1690 - 1) < 0.1, `${found}`);
});

test('one worker and one stage match figures computed by hand', () => {
  const load = workload.parse({
    stages: [{ name: 'a', time: [5, 5] }],
    workers: [{}],
    arrivals: [{ count: 3, every: 1, series: 1 }],
  });
  // 10 s to load the stage, then one after another.
  const { meanTimeInSystem, maxTimeInSystem, makespan, switches, waiting, switching } = measure(
    simulate(load, parametric, 1),
  );
  assert.deepEqual(
    { meanTimeInSystem, maxTimeInSystem, makespan, switches, waiting, switching },
    {
      meanTimeInSystem: 20,
      maxTimeInSystem: 25,
      makespan: 25,
      switches: 1,
      waiting: { a: 15 },
      switching: 10 / 25,
    },
  );
  assert.equal(referenceMean(load, 1), 10_000);
});

test('a second switch to the same stage is warm', () => {
  const load = builtIn('seed', { warm: 0 });
  const { switches, switchingShare, makespanMs } = simulate(load, flow, 1);
  assert.ok(switches > 6);
  assert.equal(Math.round(switchingShare * makespanMs * 2), 6 * 10_000);
});

test('no policy beats the reference when all requests are alike', () => {
  for (const policy of Object.values(policies))
    for (const seed of [1, 2, 3])
      assert.ok(
        measure(simulate(builtIn('seed'), policy, seed)).meanTimeInSystem * 1000 >
          referenceMean(builtIn('seed'), seed),
      );
});

test('a quantile is the smallest number at least as large as that share of all', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2);
  assert.equal(quantile([1, 2, 3, 4], 0.95), 4);
  assert.equal(quantile([], 0.5), 0);
});
