import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequest, toMessage } from '../../engine/request/request.ts';
import { runServer } from '../testing/running-server.ts';

test('figures of queues, workers and requests are there for Prometheus', async (t) => {
  const server = await runServer(t);
  const { broker, stages, clock } = server.engine;
  await stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  for (const priority of [0, 0, 1]) {
    const uuid = crypto.randomUUID();
    await broker.publish(
      'ocr',
      toMessage(newRequest({ uuid, priority, stages: ['ocr', 'out'], files: [], startedAt: clock.now() })),
    );
  }
  await server.call('stage.ls');
  const { status, text, headers } = await server.send('GET', '/metrics', { key: server.localToken });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  for (const line of [
    /^pismak_queue_ready\{queue="ocr",lane="high"\} 1$/m,
    /^pismak_queue_ready\{queue="ocr",lane="normal"\} 2$/m,
    /^pismak_queue_dead\{queue="ocr"\} 0$/m,
    /^pismak_http_requests_total\{route="GET \/api\/v1\/stage\/ls",status="401"\} 1$/m,
    /^process_resident_memory_bytes \d+$/m,
    /^nodejs_eventloop_delay_p99_seconds [\d.e-]+$/m,
    /^pismak_events_dropped_total 0$/m,
  ]) {
    assert.match(text, line);
  }
  const ill = text
    .split('\n')
    .filter((line) => line && !/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/.test(line));
  assert.deepEqual(ill, []);
});

test('metrics need the role reader, and leave out queues of other users', async (t) => {
  const server = await runServer(t);
  const [anna, bert] = [await server.signUp('anna', 'user'), await server.signUp('bert', 'reader')];
  await server.engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  await server.engine.pipelines.prepare(['ocr', 'annas-results'], 'anna');
  assert.match((await server.send('GET', '/metrics', anna)).text, /annas-results/);
  const { status, text } = await server.send('GET', '/metrics', bert);
  assert.equal(status, 200);
  assert.doesNotMatch(text, /annas-results/);
});

test('a stranger gets no metrics through a proxy on this machine that adds no header of its own', async (t) => {
  const server = await runServer(t);
  // As nginx forwards by default: from loopback, with our own address as the host.
  assert.equal((await server.send('GET', '/metrics')).status, 401);
});

test('an operator can open the metrics to everybody', async (t) => {
  const server = await runServer(t, { http: { openMetrics: true } });
  const { status, text } = await server.send('GET', '/metrics');
  assert.equal(status, 200);
  assert.match(text, /^pismak_\w+/m);
});
