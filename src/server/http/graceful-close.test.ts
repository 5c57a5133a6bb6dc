import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { runServer } from '../testing/running-server.ts';

function slowOperation() {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const operation = defineOperation({
    name: 'test.slow',
    summary: 'Takes its time',
    role: 'public',
    owner: 'none',
    changes: false,
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    example: {},
    async handler() {
      started.resolve();
      await finish.promise;
      return { done: true };
    },
  });
  return { operation, started: started.promise, finish: finish.resolve };
}

test('while the server closes, requests under way finish and nothing new is accepted', async (t) => {
  const slow = slowOperation();
  const server = await runServer(t, { operations: [slow.operation] });
  const underWay = server.call('test.slow');
  await slow.started;
  const closing = server.close();
  await assert.rejects(fetch(`${server.localUrl}/api/v1/health`));
  slow.finish();
  assert.deepEqual((await underWay).body, { done: true });
  await closing;
});

test('a connection on which nothing is asked does not keep the server from closing', async (t) => {
  const server = await runServer(t);
  const idle = connect(Number(new URL(server.localUrl).port), '127.0.0.1');
  await once(idle, 'connect');
  const closed = once(idle, 'close');
  await server.close();
  await closed;
});

test('a client that waits for results gets its answer at once when the server closes', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  await server.engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  await server.engine.pipelines.prepare(['ocr', 'out'], 'anna');
  // Seen by what it does: it asks the broker for messages.
  let consumers = 0;
  const { broker } = server.engine;
  const consume = broker.consume.bind(broker);
  broker.consume = (...how) => {
    consumers++;
    return consume(...how);
  };
  const waiting = server.call('results.take', { queue: 'out', waitMs: 30_000 }, anna);
  await eventually('it waits', () => consumers > 0);
  const begun = performance.now();
  await server.close();
  const { status } = await waiting;
  assert.ok(status === 200 || status === 503);
  assert.ok(performance.now() - begun < 10_000);
});

test('an answer that never comes is given up in the end', async (t) => {
  const slow = slowOperation();
  const clock = new ManualClock();
  const server = await runServer(t, { operations: [slow.operation], clock });
  const refused = assert.rejects(server.call('test.slow'));
  await slow.started;
  const closing = server.close();
  clock.advance(10_000);
  await Promise.all([closing, refused]);
  slow.finish();
});
