import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { Event } from '../../event/event.ts';
import { alice, mallory, openOperations, reader } from '../../testing/call-operations.ts';
import { writeWorker } from '../../testing/worker-nodes.ts';
import { ratePerMinute } from './status.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });

test('the status shows health, queues, workers and open alerts at a glance', async () => {
  await writeWorker(engine.coordination, 'w1');
  await engine.alerts.raise('disk.full', 'here', 'little space is left');
  const status = await call('status.show', {}, reader);
  assert.match(status.version, /^\d+\.\d+\.\d+/);
  assert.ok(status.startedAt <= engine.clock.now());
  assert.equal(status.health.status, 'ok');
  assert.deepEqual(
    status.queues.map((queue: { name: string }) => queue.name),
    ['alert-webhook', 'webhook', 'work'],
  );
  assert.equal(status.workers[0].id, 'w1');
  assert.equal(status.alerts, 1);
});

test('alerts are listed until they are over, and on request afterwards', async () => {
  await engine.alerts.raise('worker.failed', 'w7', 'worker w7 failed', { worker: 'w7' });
  const listed = (all: boolean) =>
    call('alert.ls', { all }, reader).then(({ alerts }) =>
      alerts.find((alert: { entity: string }) => alert.entity === 'w7'),
    );
  assert.deepEqual((await listed(false)).details, { worker: 'w7' });
  await engine.alerts.clear('worker.failed', 'w7');
  assert.equal(await listed(false), undefined);
  assert.notEqual((await listed(true)).clearedAt, null);
});

test('events that concern a user are seen by that user and by administrators only', async () => {
  const at = engine.clock.now();
  engine.events.emit({ kind: 'worker.test', entity: 'for everybody', at });
  engine.events.emit({ kind: 'worker.test', entity: 'of alice', at, user: 'alice', dimensions: { ms: 3 } });
  const entities = async (by?: typeof alice) =>
    (await call('event.ls', { kind: 'worker.test' }, by)).events.map((event: Event) => event.entity);
  assert.deepEqual(await entities(alice), ['for everybody', 'of alice']);
  assert.deepEqual(await entities(mallory), ['for everybody']);
  assert.deepEqual(await entities(), ['for everybody', 'of alice']);
  assert.equal((await call('event.ls', { kind: 'worker.test', limit: 1 })).events[0].entity, 'of alice');
});

test('the watchdog tells what it would do, with the numbers behind it', async () => {
  await call('request.submit', { stages: ['work', 'out'], files: [] });
  const { assignments, queues } = await call('watchdog.plan', {}, reader);
  assert.deepEqual([assignments[0].worker, assignments[0].to], ['w1', 'work']);
  assert.deepEqual([queues[0].stage, queues[0].length], ['work', 1]);
  const status = await call('watchdog.status', {}, reader);
  assert.equal(status.leader, null);
  assert.equal(status.policy, 'flow');
  assert.deepEqual(status.averages, [{ stage: 'work', averageMs: queues[0].averageMs }]);
});

test('processors are listed with what they do', async () => {
  const { processors } = await call('stage.processors', {}, reader);
  assert.deepEqual(
    processors.find((processor: { name: string }) => processor.name === 'nothing'),
    { name: 'nothing', summary: 'Does nothing', runs: 'inline', configuration: null, besides: null },
  );
});

test('a backup goes under a plain name into the backup directory, and is written once', async () => {
  const name = 'backup.tar';
  assert.equal((await call('backup.create', { name })).file, resolve(engine.settings.data, 'backups', name));
  await assert.rejects(call('backup.create', { name }), { code: 'already-exists' });
  for (const path of ['/tmp/backup.tar', '../backup.tar', 'a/b.tar', '.hidden', ''])
    await assert.rejects(call('backup.create', { name: path }), { code: 'invalid-input' });
});

test('the rate is what was finished in the last minute', () => {
  const finished = (at: number, entity = 'a') => ({ kind: 'request.processed', entity, at });
  const events = [finished(0), finished(59_000), finished(60_000, 'b'), finished(119_000)];
  assert.deepEqual(ratePerMinute([...events, { kind: 'other', entity: 'a', at: 119_000 }], 119_500, false), {
    a: 1,
    b: 1,
  });
  assert.deepEqual(ratePerMinute([], 119_500, false), {});
});

test('when the buffer holds only a part of the minute, that part stands for the whole', () => {
  const events = Array.from({ length: 100 }, (_, i) => ({
    kind: 'request.processed',
    entity: 'a',
    at: 1_000_000 + i * 60,
  }));
  assert.deepEqual(ratePerMinute(events, 1_006_000, true), { a: 1000 });
});
