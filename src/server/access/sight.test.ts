import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueLengths } from '../../engine/watchdog/trace-queue-lengths.ts';
import { followChanges } from '../testing/event-stream.ts';
import { makePipeline } from '../testing/owned-things.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const secret = /output-bert|foreign-tool|private-scan/;

/** Bert has an output queue with a dead letter, and another program keeps a queue on the same broker. */
async function setUp(server: RunningServer) {
  const [anna, bert, root] = [
    await server.signUp('anna', 'reader'),
    await server.signUp('bert', 'user'),
    await server.signUp('root', 'admin'),
  ];
  await makePipeline(server, bert, '-bert');
  const { broker, events, alerts, clock } = server.engine;
  await broker.declare('foreign-tool');
  // As the watchdog tells them.
  for (const event of new QueueLengths().look(await broker.status(), clock.now())) events.emit(event);
  const messages = [{ id: '1', reason: 'private-scan.pdf is damaged' }];
  await alerts.raise('queue.dead-letters', 'bert/output-bert', '1 dead letter in queue bert/output-bert', {
    messages,
  });
  await alerts.raise('stage.no-worker', 'stage-bert', 'stage stage-bert has 1 waiting', { messages });
  await alerts.raise('something.new', 'bert/output-bert', 'a kind that nobody has classified');
  return { anna, bert, root };
}

test('a reader learns nothing about foreign queues, from no list, metric or alert', async (t) => {
  const server = await runServer(t);
  const { anna, bert, root } = await setUp(server);
  const reads = ['event.ls', 'alert.ls', 'queue.ls', 'status.show', 'worker.ls', 'trace.show'];
  for (const read of reads) {
    const input = read === 'event.ls' ? { limit: 1000 } : {};
    const { status, text } = await server.call(read, input, anna);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, secret, read);
  }
  const metrics = await server.send('GET', '/metrics', {
    ...anna,
    headers: { 'x-forwarded-for': '8.8.8.8' },
  });
  assert.match(metrics.text, /pismak_queue_ready\{queue="stage-bert"/);
  assert.doesNotMatch(metrics.text, secret);
  assert.match((await server.call('event.ls', { kind: 'queue.length' }, bert)).text, /output-bert/);
  assert.match((await server.call('alert.ls', {}, bert)).text, /in queue bert\/output-bert/);
  for (const read of ['event.ls', 'alert.ls', 'queue.ls'])
    assert.match((await server.call(read, {}, root)).text, secret, read);
});

test('a reader who follows changes hears nothing about foreign queues', async (t) => {
  const server = await runServer(t);
  const { anna, root } = await setUp(server);
  const stream = await followChanges(server, { key: anna.key, lastEventId: server.engine.changes.lastId });
  await stream.next();
  await server.engine.alerts.raise(
    'outbox.stuck',
    'bert/output-bert',
    'queue bert/output-bert refused its messages',
  );
  for (const queue of ['bert/output-bert', 'foreign-tool', 'stage-bert']) {
    assert.equal((await server.call('queue.pause', { queue }, root)).status, 200);
  }
  const heard: string[] = [];
  while (!heard.some((text) => text.includes('stage-bert'))) heard.push(JSON.stringify(await stream.next()));
  assert.doesNotMatch(heard.join('\n'), secret);
  await stream.close();
});
