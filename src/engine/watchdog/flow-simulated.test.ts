import assert from 'node:assert/strict';
import test from 'node:test';
import { mean, measure } from '../simulation/measures.ts';
import { TraceRecorder } from '../simulation/recorder.ts';
import { simulate } from '../simulation/simulate.ts';
import { type WorkloadText, workload } from '../simulation/workload.ts';
import { workloads } from '../simulation/workloads.ts';
import { flow } from './flow.ts';
import { parametric } from './parametric.ts';
import { defaultParameters } from './policy.ts';

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
    assert.ok(meanTime(load) < meanTime(load, parametric));
  });

  test(`on ${name} averages that are unknown or wrong by 2x cost little`, () => {
    const right = meanTime(load);
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
  const recorder = new TraceRecorder();
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
