import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterQueues, liveQueues, sortQueues, totalsOf } from './live-queues.ts';

const listed = (name: string, kind: 'stage' | 'output' = 'stage') => ({
  name,
  kind,
  owner: null,
  ready: { high: 1, normal: 2 },
  backlog: 4,
  delayed: 0,
  inFlight: 1,
  dead: 0,
  oldestAt: 900,
  paused: false,
  maxLength: null,
});
const rows = [listed('read'), listed('layout'), listed('out', 'output')];

test('a sample that is newer than the list says how long the queues are, and what it leaves out is empty', () => {
  const sample = {
    at: 2000,
    queues: [{ name: 'read', ready: 7, dead: 2, paused: true }],
    rates: { read: { perMinute: 30, meanMs: 400 } },
  };
  const [read, layout] = liveQueues(rows, 1000, sample);
  assert.deepEqual(
    [read?.waiting, read?.dead, read?.paused, read?.perMinute, layout?.waiting, layout?.oldestAt],
    [7, 2, true, 30, 0, undefined],
  );
  assert.equal(liveQueues(rows, 3000, sample)[0]?.waiting, 7);
  assert.equal(
    liveQueues(rows, 3000, sample)[1]?.waiting,
    7,
    'an older sample does not change what was listed',
  );
});

test('queues are found by a part of their name, and those with dead letters alone', () => {
  const queues = liveQueues(rows, 0, { at: 1, queues: [{ name: 'layout', dead: 3 }], rates: {} });
  const names = (text: string, only?: string) => filterQueues(queues, { text, only }).map(({ name }) => name);
  assert.deepEqual(names('RE'), ['read']);
  assert.deepEqual(names('', 'dead'), ['layout']);
  assert.deepEqual(names('', 'output'), ['out']);
});

test('the longest queue comes first when sorted by length, and equal ones by name', () => {
  const queues = liveQueues(rows, 0, { at: 1, queues: [{ name: 'read', ready: 5 }], rates: {} });
  assert.deepEqual(
    sortQueues(queues, '-waiting', 10).map(({ name }) => name),
    ['read', 'layout', 'out'],
  );
});

test('results that wait to be collected are not counted as waiting work', () => {
  const totals = totalsOf(liveQueues(rows, 0, undefined));
  assert.deepEqual([totals.waiting, totals.oldest?.kind], [14, 'stage']);
});
