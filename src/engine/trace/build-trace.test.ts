import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildTrace } from './build-trace.ts';
import { thinTrace } from './thin-trace.ts';
import type { Trace } from './trace.ts';
import type { TraceEvent, TracePeriod } from './trace-period.ts';

const state = (entity: string, at: number, name: string, stage = '', more = {}): TraceEvent => ({
  kind: 'worker.state',
  entity,
  at,
  dimensions: { state: name, stage, ...more },
});
const length = (entity: string, at: number, ready: number): TraceEvent => ({
  kind: 'queue.length',
  entity,
  at,
  dimensions: { ready },
});
const period = (since: number, until: number, events: TraceEvent[], whole = false): TracePeriod => ({
  since,
  until,
  whole,
  events,
});

test('the spans of a worker run from one change to the next', () => {
  const trace = buildTrace(
    [
      period(0, 10, [state('w', 0, 'IDLE'), state('w', 4, 'RECONFIGURING', 'a')], true),
      period(10, 20, [state('w', 12, 'PROCESSING', 'a'), state('w', 18, 'FAILED', 'a')]),
    ],
    { from: 0, to: 100 },
  );
  assert.deepEqual(trace.workers, [
    {
      id: 'w',
      spans: [
        { from: 0, to: 4, stage: '', kind: 'idle' },
        { from: 4, to: 12, stage: 'a', kind: 'switching' },
        { from: 12, to: 18, stage: 'a', kind: 'serving' },
        { from: 18, to: 20, stage: 'a', kind: 'failed' },
      ],
    },
  ]);
});

test('the state before the requested time is known at its start', () => {
  const periods = [
    period(0, 10, [state('w', 0, 'PROCESSING', 'a'), length('a', 0, 7)], true),
    period(10, 30, []),
  ];
  const { workers, queues } = buildTrace(periods, { from: 15, to: 25 });
  assert.deepEqual(workers[0]?.spans, [{ from: 15, to: 25, stage: 'a', kind: 'serving' }]);
  assert.deepEqual(queues, [
    {
      stage: 'a',
      points: [
        { at: 15, length: 7 },
        { at: 25, length: null },
      ],
    },
  ]);
});

test('while no watchdog ran, nothing is known about workers and queues', () => {
  const seen = [state('w', 0, 'PROCESSING', 'a'), length('a', 0, 3)];
  const later = [state('w', 50, 'PROCESSING', 'a'), length('a', 50, 3)];
  const { workers, queues } = buildTrace([period(0, 10, seen, true), period(50, 60, later, true)], {
    from: 0,
    to: 100,
  });
  assert.deepEqual(
    workers[0]?.spans.map(({ from, to }) => [from, to]),
    [
      [0, 10],
      [50, 60],
    ],
  );
  assert.deepEqual(
    queues[0]?.points.map(({ at, length }) => [at, length]),
    [
      [0, 3],
      [10, null],
      [50, 3],
      [60, null],
    ],
  );
});

test('a worker that stopped cleanly is no longer shown, one that died is', () => {
  const events = [
    state('left', 0, 'IDLE', 'a'),
    state('died', 0, 'IDLE', 'a'),
    state('left', 5, 'DEAD', '', { left: 1 }),
    state('died', 5, 'DEAD', 'a'),
  ];
  const { workers } = buildTrace([period(0, 10, events, true)], { from: 0, to: 10 });
  assert.deepEqual(
    workers.map(({ id, spans }) => [id, spans.map(({ kind }) => kind)]),
    [
      ['died', ['idle', 'failed']],
      ['left', ['idle']],
    ],
  );
});

const anyPeriods = fc
  .array(
    fc.record({
      pause: fc.integer({ min: -5, max: 10 }),
      lasts: fc.integer({ min: 0, max: 20 }),
      events: fc.array(
        fc.record({
          what: fc.constantFrom('PROCESSING', 'IDLE', 'RECONFIGURING', 'FAILED', 'DEAD', 'nonsense', 5),
          entity: fc.constantFrom('w1', 'w2'),
          offset: fc.integer({ min: -5, max: 25 }),
          stage: fc.constantFrom('a', 'b'),
        }),
        { maxLength: 8 },
      ),
    }),
    { maxLength: 12 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(({ pause, lasts, events }) => {
      // Mostly contiguous, sometimes after a gap, sometimes with two leaders at once.
      const since = Math.max(0, at + Math.min(pause, 5));
      at = since + lasts;
      const made = events.map(({ what, entity, offset, stage }) =>
        typeof what === 'number'
          ? length(stage, since + offset, what)
          : state(entity, since + offset, what, stage),
      );
      return period(since, at, made, true);
    });
  });

function assertSound({ from, to, workers, queues }: Trace, isKnown: (at: number) => boolean): void {
  for (const { spans } of workers) {
    let last = from;
    for (const span of spans) {
      assert.ok(span.from >= last && span.to > span.from && span.to <= to, 'in order, without overlap');
      last = span.to;
      for (let at = span.from; at < span.to; at++) assert.ok(isKnown(at), `${at} is not known`);
    }
  }
  for (const { points } of queues) {
    for (const [index, point] of points.entries()) {
      const next = points[index + 1];
      assert.ok(point.at >= from && point.at <= to && (!next || next.at > point.at));
      for (let at = point.at; point.length !== null && at < (next?.at ?? to); at++) assert.ok(isKnown(at));
    }
  }
}

test('for any stored periods, spans do not overlap and cover only watched time', () => {
  fc.assert(
    fc.property(anyPeriods, fc.nat(60), fc.integer({ min: 1, max: 80 }), (periods, from, lasts) => {
      const trace = buildTrace(periods, { from, to: from + lasts });
      assertSound(trace, (at) => periods.some(({ since, until }) => at >= since && at < until));
    }),
  );
});

test('the last column of a thinned trace ends with the trace', () => {
  const changes = Array.from({ length: 20 }, (_, index) =>
    state('w', 5 * index, index % 2 === 0 ? 'IDLE' : 'PROCESSING', 'a'),
  );
  const trace = buildTrace([period(0, 100, changes, true)], { from: 0, to: 100 });
  // 11 * (100 / 11) is 100.00000000000001.
  assert.equal(thinTrace(trace, 11).workers[0]?.spans.at(-1)?.to, 100);
});

test('a thinned trace is still valid, no larger than requested, and keeps the greatest length', () => {
  fc.assert(
    fc.property(anyPeriods, fc.integer({ min: 1, max: 12 }), (periods, columns) => {
      const trace = buildTrace(periods, { from: 0, to: 100 });
      const thin = thinTrace(trace, columns);
      assertSound(thin, () => true);
      for (const { spans } of thin.workers) assert.ok(spans.length <= columns);
      for (const [index, { points }] of thin.queues.entries()) {
        const most = (all: typeof points) => Math.max(0, ...all.map(({ length }) => length ?? 0));
        assert.equal(most(points), most(trace.queues[index]?.points ?? []));
        assert.ok(points.length <= 2 * columns);
      }
    }),
  );
});
