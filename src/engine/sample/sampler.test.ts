import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperations, reader } from '../testing/call-operations.ts';
import { eventually } from '../testing/eventually.ts';
import { writePresence, writeWorker } from '../testing/worker-nodes.ts';
import { type Sample, visibleSample } from './sample.ts';
import { followersPath, runSampler } from './sampler.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });

test('who follows gets queues with ages, rates, workers and long work; nobody asks houses for progress when nobody follows', async (t) => {
  let asked = 0;
  const book = { kind: 'document', entity: 'd1', owner: 'anna', name: 'Kronika', done: 3, total: 10 };
  const sampler = runSampler({
    ...engine,
    progress: async () => {
      asked++;
      return [book];
    },
    reported: async () => [],
  });
  t.after(() => sampler.close());
  await engine.broker.publish('work', { id: 'm1', body: new Uint8Array(1) });
  const timings = { work: { count: 100, meanMs: 20 } };
  await writeWorker(engine.coordination, 'w1', { stage: 'work' }, { stage: 'work', inFlight: 1, timings });
  await eventually('a first sample', () => engine.samples.latest());
  assert.equal(asked, 0);

  const heard: Sample[] = [];
  const stop = engine.samples.follow((sample) => heard.push(sample));
  const first = await eventually('a sample for the follower', () =>
    heard.find(({ progress }) => progress.length > 0),
  );
  assert.deepEqual(first.progress, [book]);
  const [queue] = first.queues.filter(({ name }) => name === 'work');
  assert.deepEqual([queue?.ready, queue?.owner], [1, undefined]);
  assert.ok(Math.abs(engine.clock.now() - (queue?.oldestAt ?? 0)) < 600_000);
  assert.deepEqual(first.workers, [{ id: 'w1', state: 'IDLE', stage: 'work', inFlight: 1 }]);

  await writePresence(engine.coordination, 'w1', { timings: { work: { count: 160, meanMs: 20 } } });
  const later = await eventually('its messages are counted', () => heard.find(({ rates }) => rates.work));
  assert.ok(later.rates.work && later.rates.work.perMinute >= 60, 'extrapolated to a minute');
  assert.equal(later.rates.work.meanMs, 20);
  assert.ok((await call('status.show', {}, reader)).ratePerMinute.work >= 60);
  stop();
  await eventually(
    'the sampler knows',
    async () => (await engine.coordination.children(followersPath)).length === 0,
  );
});

test('users see what is theirs and what is the installation’s', () => {
  const progress = [{ kind: 'document', entity: 'd', owner: 'bert', name: 'n', done: 0, total: 1 }];
  const queues = [
    { name: 'work' },
    { name: 'anna/out', owner: 'anna' },
    { name: 'foreign', owner: 'pismak' },
  ];
  const sample = { at: 0, queues, rates: {}, workers: [], progress };
  const anna = visibleSample(sample, { name: 'anna', role: 'user' });
  assert.deepEqual([anna.queues.map(({ name }) => name), anna.progress], [['work', 'anna/out'], []]);
  assert.deepEqual(visibleSample(sample, { name: 'root', role: 'admin' }), sample);
});
