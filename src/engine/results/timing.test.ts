import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newRequest, newStageLog, type Request } from '../request/request.ts';
import { createTiming, spread } from './timing.ts';

type Step = { stage: string; waiting: number; processing: number; status?: 'OK' | 'Failed' };

function finished(steps: readonly Step[], more: { pipeline?: string } = {}): Request {
  let now = 1_700_000_000_000;
  const request = newRequest({ uuid: 'u', stages: ['done'], files: [], startedAt: now, ...more });
  for (const { stage, waiting, processing, status = 'OK' } of steps) {
    const startedAt = now + waiting;
    now = startedAt + processing;
    const more = { hostId: 'w', version: 1, attempt: 1, log: '' };
    request.logs.push(newStageLog({ ...more, stage, startedAt, endedAt: now, status }));
  }
  return request;
}

function timingOf(...requests: Request[]) {
  const timing = createTiming();
  for (const request of requests) timing.add(request);
  return timing.result();
}

test('waiting and processing are separate, per stage and for the whole pipeline', () => {
  const { stages, pipelines, requests } = timingOf(
    finished([
      { stage: 'detect', waiting: 100, processing: 10 },
      { stage: 'read', waiting: 50, processing: 40 },
    ]),
    finished([
      { stage: 'detect', waiting: 300, processing: 30 },
      { stage: 'read', waiting: 0, processing: 20 },
    ]),
  );
  assert.equal(requests, 2);
  assert.deepEqual(
    stages.map(({ stage }) => stage),
    ['detect', 'read'],
  );
  assert.equal(stages[0]?.waiting.meanMs, 200);
  assert.equal(stages[0]?.processing.meanMs, 20);
  assert.equal(stages[1]?.waiting.totalMs, 50);
  assert.deepEqual(
    pipelines.map(({ pipeline, total }) => [pipeline, total.totalMs]),
    [['done', 200 + 350]],
  );
});

test('a stage with only failures has no averages, and no division by zero', () => {
  const timing = timingOf(finished([{ stage: 'read', waiting: 5, processing: 7, status: 'Failed' }]));
  assert.equal(timing.failed, 1);
  assert.deepEqual(timing.stages[0]?.processing, {
    count: 0,
    totalMs: 0,
    meanMs: null,
    medianMs: null,
    p95Ms: null,
  });
  assert.equal(timing.stages[0]?.failedMs, 7);
});

test('missing timestamps are counted and spoil nothing else', () => {
  const request = finished([
    { stage: 'a', waiting: 1, processing: 2 },
    { stage: 'b', waiting: 3, processing: 4 },
    { stage: 'c', waiting: 5, processing: 6 },
  ]);
  const [, second] = request.logs;
  delete second?.end;
  const { unknown, stages } = timingOf(request);
  assert.equal(unknown, 2);
  assert.deepEqual(
    stages.map(({ waiting, processing }) => [waiting.totalMs, processing.totalMs]),
    [
      [1, 2],
      [3, 0],
      [0, 6],
    ],
  );
  const { startTime: _, ...rest } = finished([]);
  assert.equal(timingOf({ ...rest, logs: [] }).pipelines[0]?.total.count, 0);
});

test('no requests at all give empty tables', () => {
  assert.deepEqual(timingOf(), { requests: 0, failed: 0, unknown: 0, stages: [], pipelines: [] });
});

test('totals add up: waiting, processing and failing of all stages make the time of all pipelines', () => {
  const step = fc.record({
    stage: fc.constantFrom('a', 'b', 'c'),
    waiting: fc.integer({ min: -50, max: 1000 }),
    processing: fc.integer({ min: 0, max: 1000 }),
    status: fc.constantFrom('OK' as const, 'Failed' as const),
  });
  const request = fc.tuple(fc.array(step, { maxLength: 5 }), fc.constantFrom('', 'p', 'q'));
  fc.assert(
    fc.property(fc.array(request), (list) => {
      const { stages, pipelines, requests } = timingOf(
        ...list.map(([steps, pipeline]) => finished(steps, { pipeline })),
      );
      const parts = stages.reduce(
        (sum, one) => sum + one.waiting.totalMs + one.processing.totalMs + one.failedMs,
        0,
      );
      assert.equal(
        parts,
        pipelines.reduce((sum, { total }) => sum + total.totalMs, 0),
      );
      assert.equal(requests, list.length);
    }),
  );
});

test('the median and the 95th percentile are values that occurred', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const { medianMs, p95Ms } = spread(values);
      assert.ok(medianMs !== null && p95Ms !== null && values.includes(medianMs) && values.includes(p95Ms));
      assert.ok(values.filter((value) => value <= p95Ms).length >= values.length * 0.95);
    }),
  );
  assert.equal(spread([1, 2, 3, 4]).medianMs, 2);
});
