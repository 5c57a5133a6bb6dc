import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pan, ticksOf, zoom } from './range.ts';
import { rowsOf, servedPerColumn } from './rows.ts';
import { lengthAt, type Span, summaryOf, type Trace } from './trace.ts';
import { unusualOf, waitingColumns } from './unusual.ts';

const range = { from: 0, to: 1000 };
const span = (from: number, to: number, kind: Span['kind'] = 'serving', stage = 'read'): Span => ({
  from,
  to,
  stage,
  kind,
});
const traceOf = (
  workers: Record<string, Span[]>,
  points: { at: number; length: number | null }[] = [],
): Trace => ({
  ...range,
  workers: Object.entries(workers).map(([id, spans]) => ({ id, spans })),
  queues: [{ stage: 'read', points }],
});
const kindsOf = (spans: Span[], points: { at: number; length: number | null }[] = []) => {
  const trace = traceOf({ one: spans }, points);
  return unusualOf({ id: 'one', spans }, range, waitingColumns(trace, range)).map(({ kind }) => kind);
};

test('a worker that only works is not unusual; one that fails, vanishes, or switches all the time is', () => {
  assert.deepEqual(kindsOf([span(0, 1000)]), []);
  assert.deepEqual(kindsOf([span(400, 1000)]), [], 'it came later');
  assert.deepEqual(kindsOf([span(0, 300, 'failed'), span(300, 1000)]), ['failed']);
  assert.deepEqual(kindsOf([span(0, 700)]), ['away']);
  assert.deepEqual(kindsOf([span(0, 300), span(500, 1000)]), ['away']);
  const switching = [0, 1, 2, 3].flatMap((turn) => [
    span(turn * 250, turn * 250 + 100, 'switching'),
    span(turn * 250 + 100, turn * 250 + 250),
  ]);
  assert.deepEqual(kindsOf(switching), ['switching']);
});

test('an idle worker is unusual only while messages wait', () => {
  const idle = [span(0, 400), span(400, 1000, 'idle')];
  assert.deepEqual(kindsOf(idle), []);
  assert.deepEqual(kindsOf(idle, [{ at: 0, length: 9 }]), ['idle']);
  assert.deepEqual(
    kindsOf(idle, [
      { at: 0, length: 9 },
      { at: 500, length: 0 },
    ]),
    [],
    'they did not wait long',
  );
});

test('two hundred workers are a row for each host, which opens to its workers', () => {
  const workers = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`w${index}`, [span(0, 1000)]]),
  );
  const hostOf = (id: string) => (id.endsWith('0') ? 'small' : 'large');
  const rows = (turned: string[]) =>
    rowsOf(traceOf(workers), range, {
      groupBy: 'host',
      onlyUnusual: false,
      turned: new Set(turned),
      hostOf,
    });
  assert.deepEqual(
    rows([]).map((row) => row.kind === 'group' && [row.name, row.workers.length, row.isOpen]),
    [
      ['large', 180, false],
      ['small', 20, false],
    ],
  );
  assert.equal(rows(['group small']).length, 22);
});

test('workers are in the order of their numbers, and only unusual ones remain if wanted', () => {
  const trace = traceOf({ 'w-10': [span(0, 1000)], 'w-2': [span(0, 500, 'failed')] });
  const ids = (onlyUnusual: boolean) =>
    rowsOf(trace, range, { groupBy: 'none', onlyUnusual, turned: new Set(), hostOf: () => '' }).map(
      (row) => row.kind === 'worker' && row.id,
    );
  assert.deepEqual(ids(false), ['w-2', 'w-10']);
  assert.deepEqual(ids(true), ['w-2']);
});

test('a summary counts only what is in the range', () => {
  const spans = [
    span(-500, 200),
    span(200, 300, 'switching', 'layout'),
    span(300, 2000, 'serving', 'layout'),
  ];
  assert.deepEqual(summaryOf({ id: 'one', spans }, range), {
    servingMs: 900,
    switchingMs: 100,
    idleMs: 0,
    failedMs: 0,
    switches: 1,
    stages: [
      ['layout', 700],
      ['read', 200],
    ],
  });
});

test('a group shows how many workers served a stage at a time', () => {
  const served = servedPerColumn(
    [
      { id: 'a', spans: [span(0, 500)] },
      { id: 'b', spans: [span(0, 250)] },
    ],
    range,
    4,
  );
  assert.deepEqual([...(served.get('read') ?? [])], [2, 1, 0, 0]);
});

test('a length holds until the next one, and null is not known', () => {
  const points = [
    { at: 10, length: 5 },
    { at: 20, length: null },
  ];
  assert.deepEqual(
    [lengthAt(points, 5), lengthAt(points, 15), lengthAt(points, 25)],
    [undefined, 5, undefined],
  );
});

test('zooming keeps the moment under the pointer, and the future is never shown', () => {
  const hour = { from: 0, to: 3_600_000 };
  const closer = zoom(hour, 0.5, 900_000, 10 ** 9);
  assert.deepEqual(closer, { from: 450_000, to: 2_250_000 });
  assert.deepEqual(pan(hour, 0.5, 3_600_000), hour);
  assert.equal(zoom(hour, 2, 3_600_000, 3_600_000).to, 3_600_000);
});

test('the axis has round times, not more than there is room for', () => {
  const ticks = ticksOf({ from: 90_000, to: 690_000 }, 6);
  assert.deepEqual(
    ticks.map(({ at }) => at / 60_000),
    [2, 4, 6, 8, 10],
  );
});
