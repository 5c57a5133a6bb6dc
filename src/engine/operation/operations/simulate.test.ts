import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from '../../simulation/report.ts';
import { workload } from '../../simulation/workload.ts';
import { alice, openOperations } from '../../testing/call-operations.ts';

const { call } = await openOperations();
const own = {
  name: 'own',
  stages: [
    { name: 'read', time: [1, 3] },
    { name: 'write', time: [1, 1] },
  ],
  workers: [{ count: 2 }],
  arrivals: [{ count: 4, every: 20, series: 5 }],
};

test('a workload of your own is simulated as on the command line, with the chart of its first run', async () => {
  const { reports } = await call('watchdog.simulate', { workload: own, seeds: 2, policies: ['flow'] });
  const [{ trace, ...figures }] = reports;
  assert.deepEqual(figures, await report(workload.parse(own), { policy: 'flow', seed: 1, seeds: 2 }));
  assert.deepEqual([figures.finished, trace.workers.length, trace.queues.length], [20, 2, 2]);
});

test('what is too large is refused before it is computed, and so are users', async () => {
  const many = { ...own, workers: [{ count: 301 }] };
  await assert.rejects(call('watchdog.simulate', { workload: many }), { code: 'too-large' });
  const long = { ...own, arrivals: [{ count: 100, every: 1, series: 900 }] };
  await assert.rejects(call('watchdog.simulate', { workload: long, seeds: 3 }), { code: 'too-large' });
  await assert.rejects(call('watchdog.simulate', { workload: 'seed' }, alice), { code: 'forbidden' });
});
