import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawSvg } from './draw-svg.ts';
import { drawText } from './draw-text.ts';
import type { Span, SpanKind, Trace } from './trace.ts';

const minute = 60_000;

/** Workers that change their stage every `stepMs`. */
function makeTrace(workers: number, stages: number, stepMs = 5 * minute, to = 60 * minute): Trace {
  const kinds: SpanKind[] = ['serving', 'switching', 'serving', 'idle'];
  const spansOf = (worker: number) =>
    Array.from({ length: Math.floor(to / stepMs) }, (_, step): Span => {
      const kind = kinds[(worker + step) % kinds.length] ?? 'serving';
      return {
        from: step * stepMs,
        to: (step + 1) * stepMs,
        stage: `stage-${(worker + step) % stages}`,
        kind,
      };
    });
  return {
    from: 0,
    to,
    workers: Array.from({ length: workers }, (_, index) => ({ id: `w${index}`, spans: spansOf(index) })),
    queues: Array.from({ length: stages }, (_, index) => ({
      stage: `stage-${index}`,
      points: [
        { at: 0, length: index },
        { at: to / 2, length: 0 },
      ],
    })),
  };
}

/** Asserts that elements are closed properly and that no text can become an element. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  assert.doesNotMatch(svg.replace(/<[^<>]*>/g, ''), /[<>]|&(?!#\d+;)/, 'text is escaped');
  for (const [, closing, name, empty] of svg.matchAll(/<(\/?)(\w+)[^<>]*?(\/?)>/g)) {
    if (closing) assert.equal(open.pop(), name);
    else if (!empty) open.push(name ?? '');
  }
  assert.deepEqual(open, []);
}

test('a picture shows workers, queues, a legend and the time', () => {
  const svg = drawSvg(makeTrace(2, 3), { relative: true, title: 'Trial' });
  assertWellFormed(svg);
  for (const text of ['Trial', 'w0', 'w1', 'stage-2', 'switching to it', 'not known', '0:30:00'])
    assert.ok(svg.includes(`>${text}<`) || svg.includes(`  ${text}<`), text);
});

test('names of workers and stages are escaped in a picture', () => {
  const evil = `</text><script>alert("1")</script>&'\u0000\ud800`;
  const trace = makeTrace(1, 1);
  const spans: Span[] = [{ from: 0, to: 60 * minute, stage: evil, kind: 'serving' }];
  const svg = drawSvg({ ...trace, workers: [{ id: evil, spans }] }, { title: evil });
  assertWellFormed(svg);
  assert.doesNotMatch(svg, /<script/);
  assert.ok(!svg.includes('\0'));
  assert.ok(svg.isWellFormed());
});

test('more stages than colours are still distinguishable', () => {
  const svg = drawSvg(makeTrace(12, 12));
  const fills = [...svg.matchAll(/<rect y="-6" width="22" height="12" fill="([^"]+)"/g)].map(
    ([, fill]) => fill,
  );
  assert.ok(fills.length >= 12);
  assert.equal(new Set(fills).size, fills.length);
});

test('a picture of very many workers and changes stays a reasonable size', () => {
  const day = 24 * 60 * minute;
  assert.ok(drawSvg(makeTrace(60, 10, 20_000, day)).length < 4_000_000);
});

test('an empty trace, and one of no duration, still give a picture', () => {
  const empty = { workers: [], queues: [] };
  const moment = makeTrace(1, 1);
  const traces = [
    { from: 5, to: 5, ...empty },
    { from: 5, to: 60_000, ...empty },
    { ...moment, from: 5, to: 5 },
  ];
  for (const trace of traces) {
    const svg = drawSvg(trace);
    assertWellFormed(svg);
    assert.match(svg, /^<svg .*<\/svg>\s*$/s);
    assert.doesNotMatch(svg, /NaN|Infinity/);
  }
});

test('a queue without messages and workers takes no space', () => {
  const trace = makeTrace(1, 1);
  const queues = [...trace.queues, { stage: 'unused', points: [{ at: 0, length: 0 }] }];
  assert.doesNotMatch(drawSvg({ ...trace, queues }), /unused/);
  assert.doesNotMatch(drawText({ ...trace, queues }, { width: 80 }), /unused/);
});

test('on a terminal each worker is a row of letters, each queue a row of bars, as wide as the terminal', () => {
  const trace: Trace = {
    from: 0,
    to: 40 * minute,
    workers: [
      {
        id: 'w1',
        spans: [
          { from: 0, to: 20 * minute, stage: 'ocr', kind: 'serving' },
          { from: 20 * minute, to: 30 * minute, stage: 'ocr', kind: 'switching' },
          { from: 30 * minute, to: 35 * minute, stage: 'ocr', kind: 'idle' },
        ],
      },
    ],
    queues: [
      {
        stage: 'ocr',
        points: [
          { at: 0, length: 8 },
          { at: 20 * minute, length: 0 },
          { at: 30 * minute, length: null },
        ],
      },
    ],
  };
  const lines = drawText(trace, { width: 50, relative: true }).split('\n');
  assert.equal(lines[0], `w1    │${'A'.repeat(20)}${'/'.repeat(10)}${'-'.repeat(5)}${' '.repeat(5)}│`);
  assert.equal(lines[2], `A ocr │${'█'.repeat(20)}${'.'.repeat(10)}${' '.repeat(10)}│ 8`);
  assert.match(lines.join('\n'), /0:15:00/);
  for (const width of [20, 60, 200]) {
    const rows = drawText(makeTrace(3, 3), { width, relative: true }).split('\n').slice(0, 7);
    assert.ok(rows.every((row) => row.length <= Math.max(width, 26)));
  }
  assert.equal(
    drawText({ ...trace, workers: [], queues: [] }, { width: 80 }),
    'nothing is known about that time',
  );
});
