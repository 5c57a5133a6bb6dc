import assert from 'node:assert/strict';
import test from 'node:test';
import { type WorkloadText, workload } from './workload.ts';
import { workloads } from './workloads.ts';

const small: WorkloadText = {
  stages: [{ name: 'a', time: [1, 2] }],
  workers: [{}],
  arrivals: [{ every: 1, series: 1 }],
};

function problemsOf(load: unknown): string {
  return (
    workload
      .safeParse(load)
      .error?.issues.map(({ message }) => message)
      .join('; ') ?? ''
  );
}

test('the built-in workloads are valid', () => {
  for (const [name, load] of Object.entries(workloads)) assert.equal(problemsOf(load), '', name);
});

test('the workload seed is the one that its author described', () => {
  const { stages, workers, arrivals, reconfiguration, planning, averages } = workload.parse(workloads.seed);
  assert.deepEqual(
    stages.map(({ time }) => time),
    [
      [36, 56],
      [29, 48],
      [8, 38],
    ],
  );
  assert.equal(workers[0]?.count, 2);
  assert.deepEqual([arrivals[0]?.count, arrivals[0]?.every, arrivals[0]?.series], [5, 220, 30]);
  assert.deepEqual([reconfiguration, planning], [10, 10]);
  assert.deepEqual(averages, { initial: 100, rule: 'halving', factor: 1 });
});

test('the error for an invalid workload says what is wrong', () => {
  const cases: [Partial<WorkloadText>, RegExp][] = [
    [{ stages: [{ name: 'a', time: [2, 1] }] }, /must not be above the second/],
    [{ stages: [...small.stages, ...small.stages] }, /two stages have the same name/],
    [{ arrivals: [{ every: 1, series: 1, stages: ['b'] }] }, /there is no stage b; use a/],
    [{ changes: [{ at: 1, stage: 'b', priority: 0 }] }, /there is no stage b/],
    [
      { stages: [{ name: 'a', time: [1, 1], labels: ['gpu'] }] },
      /no worker has the labels that stage a needs: gpu/,
    ],
    [{ arrivals: [{ every: 1, count: 1000, series: 1000 }] }, /at most 100000 can be simulated/],
    [{ workers: [{ count: 1_000_000 }] }, /at most 10000 workers/],
  ];
  assert.equal(problemsOf(small), '');
  for (const [more, said] of cases) assert.match(problemsOf({ ...small, ...more }), said);
});
