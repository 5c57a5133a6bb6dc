import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { mean, measure } from '../simulation/measures.ts';
import { SimulatedTrace } from '../simulation/recorder.ts';
import { simulate } from '../simulation/simulate.ts';
import { type WorkloadText, workload } from '../simulation/workload.ts';
import { workloads } from '../simulation/workloads.ts';
import { flow } from './flow.ts';
import { parametric } from './parametric.ts';
import { defaultParameters } from './policy.ts';

/** The mean under `flow` of each of the ready workloads, which two tests compare with. */
const ofReady = new Map<WorkloadText, number>();
function readyMean(load: WorkloadText): number {
  const known = ofReady.get(load) ?? meanTime(load);
  ofReady.set(load, known);
  return known;
}

function meanTime(load: WorkloadText, policy = flow, seeds = 3): number {
  const parsed = workload.parse(load);
  return mean(
    Array.from(
      { length: seeds },
      (_, index) => measure(simulate(parsed, policy, index + 1)).meanTimeInSystem,
    ),
  );
}

for (const [name, load] of Object.entries(workloads)) {
  test(`on ${name} requests are finished sooner than with parametric`, () => {
    assert.ok(readyMean(load) < meanTime(load, parametric));
  });

  test(`on ${name} averages that are unknown or wrong by 2x cost little`, () => {
    const right = readyMean(load);
    for (const averages of [{ ...load.averages, factor: 0.5 }, { ...load.averages, factor: 2 }, {}])
      assert.ok(meanTime({ ...load, averages }) < 1.35 * right, JSON.stringify(averages));
  });
}

test('workers with rare labels are kept for the work that needs them', () => {
  const load: WorkloadText = {
    stages: [
      { name: 'read', time: [20, 60], labels: ['gpu'] },
      { name: 'correct', time: [20, 60] },
      { name: 'export', time: [10, 30] },
    ],
    workers: [{ labels: ['gpu'] }, { count: 3 }],
    arrivals: [{ every: 47, series: 200, random: true }],
    reconfiguration: 0.1,
    warm: 0,
  };
  assert.ok(meanTime(load) < 1.05 * meanTime(load, parametric));
});

test('a stage whose messages are very quick is served before they fill a whole period', () => {
  const load: WorkloadText = {
    stages: [
      { name: 'slow', time: [2.5, 7.5] },
      { name: 'quick', time: [0.05, 0.15] },
    ],
    workers: [{}],
    arrivals: [{ count: 20, every: 127, series: 15, random: true }],
    reconfiguration: 1,
    warm: 0.05,
  };
  assert.ok(meanTime(load) < 1.05 * meanTime(load, parametric));
});

test('under constant overload a switch is made for several messages', () => {
  const { switches, waits } = simulate(workload.parse(workloads.seed), flow, 1);
  const messages = [...waits.values()].flat().length;
  assert.ok(switches < messages / 4, `${switches} switches for ${messages} messages`);
});

test('a switch that costs nothing is made for every message', () => {
  const { switches } = simulate(workload.parse({ ...workloads.seed, warm: 0 }), flow, 1);
  assert.ok(switches > 300);
});

test('a stage that is never the most urgent is still served: none waits longer than the bound', () => {
  const period = 10;
  const seconds = 5;
  const quiet = ['quiet1', 'quiet2', 'quiet3'];
  const load = workload.parse({
    stages: [
      { name: 'loud', time: [seconds, seconds], priority: 50 },
      ...quiet.map((name) => ({ name, time: [seconds, seconds] as [number, number] })),
    ],
    workers: [{ count: 1 }],
    arrivals: [
      { stages: ['loud'], every: 1, series: 8000 },
      ...quiet.map((name) => ({ stages: [name], every: 10, series: 800 })),
    ],
    planning: period,
  });
  const recorder = new SimulatedTrace();
  simulate(load, flow, 1, recorder);
  // Its turn comes after patience, the next plan, and the lots of other stages that waited as long.
  const lot = Math.floor(Math.sqrt(150 * (load.reconfiguration / seconds)));
  const stay = load.reconfiguration + lot * seconds + seconds + period;
  const bound = defaultParameters.patienceMs + 1000 * (period + quiet.length * stay);
  for (const name of quiet) {
    const served = recorder.trace.workers
      .flatMap(({ spans }) => spans.filter((span) => span.stage === name && span.kind === 'serving'))
      .filter(({ from }) => from < 30_000_000);
    assert.ok(served.length > 20, `${name} was served ${served.length} times`);
    for (const [index, { to }] of served.entries()) {
      const next = served[index + 1];
      if (next) assert.ok(next.from - to <= bound, `${name} waited ${next.from - to} ms, ${bound} at most`);
    }
  }
});

test('a stage is served by the one worker that can load it, however many fail to, one after the other', () => {
  const load = workload.parse({
    stages: [
      { name: 'common', time: [5, 5] },
      { name: 'rare', time: [5, 5] },
    ],
    // So slow that the first has forgotten its failure before the last has tried.
    workers: [{ count: 9, unable: ['rare'], loading: 30 }, {}],
    arrivals: [
      { stages: ['common'], count: 20, every: 1, series: 1 },
      { stages: ['rare'], every: 1, series: 1, start: 1000 },
    ],
  });
  const { finished } = simulate(load, flow, 1);
  assert.equal(finished.length, 21);
  const attempts = 9 * (30 + load.planning);
  const last = finished.at(-1)?.finishedAt ?? 0;
  assert.ok(last <= 1000 * (1000 + attempts + load.reconfiguration + 5), `served at ${last} ms`);
});

const names = ['a', 'b', 'c', 'd'];
/** All but the last worker fail to load some stages; a loud stage that all can load has more work than they can do. */
const unables = fc.record({
  workers: fc.array(
    fc.record({
      unable: fc.uniqueArray(fc.constantFrom(...names)),
      loading: fc.integer({ min: 0, max: 90 }),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  quiet: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
  isLoud: fc.boolean(),
  every: fc.integer({ min: 600, max: 1500 }),
  seed: fc.integer({ min: 1, max: 1000 }),
});

test('no stage with work that a worker can load waits longer than the bound, whatever the others fail to load', () => {
  fc.assert(
    fc.property(unables, ({ workers, quiet, isLoud, every, seed }) => {
      const able = { loading: 10 };
      const seconds = 5;
      const planning = 10;
      const load = workload.parse({
        stages: [
          { name: 'loud', time: [4 * seconds, 4 * seconds], priority: 9 },
          ...names.map((name) => ({ name, time: [seconds, seconds] as [number, number] })),
        ],
        workers: [...workers, able],
        arrivals: [
          { stages: ['loud'], every: isLoud ? 2 : 100, series: isLoud ? 3000 : 100 },
          ...quiet.map((name) => ({ stages: [name], every, series: 4, random: true })),
        ],
        planning,
      });
      const { waits } = simulate(load, flow, seed);
      // Those that waited longer come first: each may keep the able worker for the message in hand, the switch and a lot.
      const lot = Math.floor(Math.sqrt(150 * (90 / seconds)));
      const stay = 4 * seconds + 90 + lot * seconds + planning;
      const attempts = workers.reduce((sum, { loading }) => sum + 4 * seconds + loading + planning, 0);
      const bound = defaultParameters.patienceMs + 1000 * (planning + quiet.length * (stay + attempts));
      for (const name of quiet) {
        const waited = waits.get(name) ?? [];
        assert.equal(waited.length, 4, `all 4 requests for ${name} were served`);
        assert.ok(Math.max(...waited) <= bound, `${name} waited ${Math.max(...waited)} ms, at most ${bound}`);
      }
    }),
    { numRuns: 15 },
  );
});
