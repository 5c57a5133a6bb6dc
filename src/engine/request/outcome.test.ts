import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { passOn, type Report } from './outcome.ts';
import { decodeRequest, newRequest } from './request.ts';

const report = (status: 'OK' | 'Failed'): Report => ({
  hostId: 'w',
  stage: 'a',
  version: 1,
  attempt: 1,
  startedAt: 1_000,
  endedAt: 2_000,
  status,
  log: status === 'OK' ? 'fine\n' : 'first line\nthe reason\n',
});

/** Passes a request of stage `a` on, with the queues `next` and `out` in existence. */
async function outcome(t: TestContext, stages: string[], status: 'OK' | 'Failed') {
  const { broker } = await openEmbedded(t);
  for (const queue of ['next', 'out']) await broker.declare(queue);
  const request = newRequest({ uuid: 'u', stages, files: [], startedAt: 1, priority: 1 });
  const passed = await passOn(broker, request, report(status));
  const found = 'queue' in passed ? await broker.peek(passed.queue) : [];
  return { passed, lane: found[0]?.lane, request: found[0] && decodeRequest(found[0].body) };
}

test('processed: it goes to the next queue of its list, in the lane of its priority, with a log', async (t) => {
  const { passed, lane, request } = await outcome(t, ['a', 'next', 'out'], 'OK');
  assert.deepEqual(passed, { to: 'next', queue: 'next' });
  assert.equal(lane, 'high');
  assert.deepEqual(request?.processingStages, ['next', 'out']);
  assert.equal(request?.logs[0]?.status, 'OK');
});

test('processed, and the next stage does not exist: to its output queue as failed, saying which', async (t) => {
  const { passed, request } = await outcome(t, ['a', 'nowhere', 'next', 'out'], 'OK');
  assert.deepEqual(passed, { to: 'output', queue: 'out' });
  assert.deepEqual(
    request?.logs.map((log) => log.status),
    ['OK', 'Failed'],
  );
  assert.match(request?.logs[1]?.log ?? '', /stage nowhere does not exist/);
  assert.ok(request?.logs[1]?.end, 'a failed log has an end');
});

test('failed for good: past all other stages to its output queue', async (t) => {
  const { passed, request } = await outcome(t, ['a', 'next', 'out'], 'Failed');
  assert.deepEqual(passed, { to: 'output', queue: 'out' });
  assert.deepEqual(request?.processingStages, ['out']);
  assert.equal(request?.logs[0]?.status, 'Failed');
});

test('the output queue is missing too: dead letter, with the reason first', async (t) => {
  const failed = await outcome(t, ['a', 'next', 'missing'], 'Failed');
  assert.deepEqual(failed.passed, {
    to: 'dead',
    reason: 'the reason; and output queue missing does not exist',
  });
  const done = await outcome(t, ['a', 'missing'], 'OK');
  assert.deepEqual(done.passed, { to: 'dead', reason: 'output queue missing does not exist' });
});

test('processed in the last stage of its list: it ends there; failed: dead letter', async (t) => {
  assert.deepEqual((await outcome(t, ['a'], 'OK')).passed, { to: 'end' });
  assert.deepEqual((await outcome(t, ['a'], 'Failed')).passed, { to: 'dead', reason: 'the reason' });
});
