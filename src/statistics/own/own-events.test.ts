import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEvents } from '../../engine/event/event.ts';
import { decodeRequest } from '../../engine/request/request.ts';
import { submitRequest } from '../../engine/request/submit.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { ingestStage } from '../ingest/ingest-stage.ts';
import { statisticsOf } from '../opened/statistics.ts';
import { answerTable } from '../query/answer.ts';
import { runStatistics } from '../run-statistics.ts';
import { sendOwnEvents } from './own-events.ts';

test('events of a worker elsewhere go through the queue of the ingest stage and are counted once', async (t) => {
  const engine = await openTestEngine(t);
  const told: string[] = [];
  engine.changes.subscribe(({ kind }) => told.push(kind));
  await engine.stages.create(ingestStage, 'local');
  const events = createEvents();
  const elsewhere = sendOwnEvents({ ...engine, events });
  const at = engine.clock.now();
  for (const ms of [100, 20, 3])
    events.emit({
      kind: 'request.processed',
      entity: 'recognise',
      user: 'anna',
      at,
      dimensions: { worker: 'elsewhere', ms, status: 'OK' },
    });
  // What the stage itself reports about these must not be counted again, and again.
  events.emit({ kind: 'request.processed', entity: ingestStage.name, user: '', at, dimensions: { ms: 1 } });
  await elsewhere.close();
  const [message] = await engine.broker.peek(ingestStage.name);
  assert.ok(message);
  await engine.broker.publish(ingestStage.name, message);
  await engine.workers.start();
  const statistics = await statisticsOf(engine);
  const sums = async (kind: string, user: string) => {
    const asked = { kind, user, from: '2020-01-01', to: '2100-01-01', filters: [], over: 'all' as const };
    const { rows } = await answerTable(statistics, {
      ...asked,
      dimensions: [],
      sort: 'name:asc',
      offset: 0,
      limit: 10,
    });
    return rows.map(({ entity, sums: { count, ms } }) => [entity, count, ms]);
  };
  await eventually('both messages are done', async () => {
    const { ready, inFlight } = await engine.broker.status(ingestStage.name);
    return ready.normal + inFlight === 0;
  });
  assert.ok(told.includes('statistics'), 'who watches hears that sums have changed');
  assert.deepEqual(await sums('worker', 'pismak'), [['elsewhere', 3, 123]]);
  assert.deepEqual(await sums('stage', 'anna'), [['recognise', 3, 123]]);
});

test('a request with a file of events counts what its owner may write, and answers', async (t) => {
  const engine = await openTestEngine(t);
  await engine.stages.create(ingestStage, 'local');
  await engine.workers.start();
  const at = engine.clock.now();
  const lines = ['anna', 'otto'].map((user) => ({
    kind: 'keyword',
    entity: 1,
    user,
    split: 'context',
    at,
    clicks: 1,
  }));
  const content = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
  await engine.pipelines.create({ name: 'count', stages: [ingestStage.name, 'out'], owner: 'local' });
  const submission = { pipeline: 'count', output: 'anna/out', owner: 'anna' };
  await submitRequest(engine, { ...submission, files: [{ name: 'events.ndjson', content }] });
  await submitRequest(engine, { ...submission, files: [{ name: 'events.txt', content }] });
  await eventually(
    'both are answered',
    async () => (await engine.broker.status('anna/out')).ready.normal === 2,
  );
  const answers = (await engine.broker.peek('anna/out')).map(({ body }) => decodeRequest(body));
  const counted = answers.find(({ results }) => results.some(({ name }) => name === 'ingested.json'));
  const file = counted?.results.find(({ name }) => name === 'ingested.json');
  const answer = JSON.parse(Buffer.from(file?.content ?? []).toString())['events.ndjson'];
  assert.deepEqual([answer.accepted, answer.refused], [1, 1]);
  assert.match(answer.refusals[0].reason, /you may not write statistics of otto/);
  const failed = answers.find((other) => other !== counted)?.logs.at(-1)?.log ?? '';
  assert.match(failed, /no file of events/);
});

test('what the engine and the houses report is counted, for the installation and for the user', async (t) => {
  const engine = await openTestEngine(t);
  const running = await runStatistics(engine);
  const statistics = await statisticsOf(engine);
  const at = engine.clock.now();
  const processed = (status: string, ms: number) =>
    engine.events.emit({
      kind: 'request.processed',
      entity: 'recognise',
      user: 'anna',
      at,
      dimensions: { worker: 'w1', ms, status, outcome: 'next' },
    });
  processed('OK', 120.4);
  processed('OK', 80);
  processed('Failed', 5);
  engine.events.emit({
    kind: 'schedule.run',
    entity: 'history.trim',
    at,
    dimensions: { status: 'succeeded', ms: 7 },
  });
  engine.events.emit({ kind: 'session.opened', entity: 'anna', user: 'anna', at });
  await running.close();

  const day = new Date(at).toISOString().slice(0, 10);
  const rowsOf = async (kind: string, user: string) => {
    const asked = {
      kind,
      user,
      from: '2020-01-01',
      to: day,
      filters: [],
      over: 'interval' as const,
      dimensions: [],
    };
    const { rows } = await answerTable(statistics, {
      ...asked,
      to: '2100-01-01',
      sort: 'name:asc',
      offset: 0,
      limit: 10,
      segment: 'split' as const,
    });
    return rows.map(({ entity, sums, splits }) => [entity, sums.count, sums.ms, splits?.failed?.count]);
  };
  for (const user of ['pismak', 'anna'])
    assert.deepEqual(await rowsOf('stage', user), [['recognise', 3, 205, 1]], user);
  assert.deepEqual(await rowsOf('worker', 'pismak'), [['w1', 3, 205, 1]]);
  assert.deepEqual(await rowsOf('schedule', 'pismak'), [['history.trim', 1, 7, 0]]);
  assert.deepEqual(await rowsOf('worker', 'anna'), [], 'workers belong to the installation');
});
