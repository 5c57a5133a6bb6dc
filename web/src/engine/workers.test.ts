import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crewsOf, filterWorkers, isInTrouble, liveWorkers, type Worker } from './workers.ts';

const worker = (id: string, change: Partial<Worker> = {}): Worker => ({
  id,
  host: 'vm',
  labels: [],
  stage: null,
  enabled: true,
  pinned: false,
  unlockAt: 0,
  registeredAt: 0,
  failure: null,
  leftAt: null,
  state: 'IDLE',
  presence: null,
  ...change,
});

test('a sample that is newer says what a worker does now', () => {
  const sample = {
    at: 10,
    workers: [{ id: 'w-1', state: 'PROCESSING', stage: 'read', inFlight: 1, busySince: 9 }],
  };
  const [now] = liveWorkers([worker('w-1')], 5, sample);
  assert.deepEqual([now?.state, now?.stage, now?.inFlight, now?.busySince], ['PROCESSING', 'read', 1, 9]);
  assert.equal(liveWorkers([worker('w-1')], 20, sample)[0]?.state, 'IDLE');
});

test('a worker that left on purpose is no trouble; one that vanished is', () => {
  const [gone, left] = liveWorkers(
    [worker('gone', { state: 'DEAD' }), worker('left', { state: 'DEAD', leftAt: 3 })],
    0,
    undefined,
  );
  assert.deepEqual(
    [gone && isInTrouble(gone), left && isInTrouble(left), left?.state],
    [true, false, 'LEFT'],
  );
});

test('crews count who is at a stage and who works there, without those that left', () => {
  const workers = liveWorkers(
    [
      worker('a', { stage: 'read' }),
      worker('b', { stage: 'read' }),
      worker('c', { stage: 'read', state: 'DEAD', leftAt: 1 }),
    ],
    0,
    {
      at: 1,
      workers: [
        { id: 'a', state: 'PROCESSING', stage: 'read', inFlight: 1 },
        { id: 'b', state: 'RECONFIGURING', stage: 'read' },
      ],
    },
  );
  assert.deepEqual(crewsOf(workers), [{ stage: 'read', here: 2, busy: 1, switching: 1 }]);
});

test('workers are found by label', () => {
  const workers = liveWorkers([worker('a', { labels: ['gpu'] }), worker('b')], 0, undefined);
  assert.deepEqual(
    filterWorkers(workers, { text: 'GPU', only: undefined }).map(({ id }) => id),
    ['a'],
  );
});
