import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TraceEvent } from '../trace/trace-period.ts';
import type { WorkerPresence, WorkerView } from '../worker/worker-record.ts';
import { WorkerStates } from './trace-worker-states.ts';

const record: WorkerView['record'] = {
  id: 'w',
  host: 'here',
  labels: [],
  stage: 'ocr',
  enabled: true,
  pinned: false,
  unlockAt: 0,
  registeredAt: 0,
  failure: null,
  leftAt: null,
};
const presence: WorkerPresence = {
  id: 'w',
  pid: 1,
  state: 'IDLE',
  stage: 'ocr',
  stageVersion: 1,
  inFlight: 0,
  loaded: [],
  startedAt: 0,
  heartbeatAt: 0,
  timings: {},
  unable: {},
  switchMs: null,
};

function worker(more: Partial<WorkerPresence>, recorded: Partial<WorkerView['record']> = {}): WorkerView {
  const full = { ...presence, ...more };
  return { record: { ...record, ...recorded }, presence: full, state: full.state };
}
const processed = (count: number) => ({ timings: { ocr: { count, meanMs: 1 } } });
const short = ({ at, dimensions }: TraceEvent) => `${at} ${dimensions.state} ${dimensions.stage}`;

function watch() {
  const states = new WorkerStates();
  return (at: number, ...views: WorkerView[]) => states.look(views, at, 0).map(short);
}

test('a worker is reported when it is first seen and when its state changes, and not otherwise', () => {
  const look = watch();
  assert.deepEqual(look(0, worker({})), ['0 IDLE ocr']);
  assert.deepEqual(look(1000, worker({})), []);
  assert.deepEqual(look(2000, worker({ state: 'PROCESSING', inFlight: 1 })), ['2000 PROCESSING ocr']);
  assert.deepEqual(look(3000, worker({ state: 'FAILED', stage: null })), ['3000 FAILED ocr']);
});

test('pauses between messages count as idle only if they last, and then from the last message on', () => {
  const look = watch();
  look(0, worker({ state: 'PROCESSING' }));
  assert.deepEqual(look(1000, worker(processed(3))), []);
  assert.deepEqual(look(2000, worker(processed(3))), []);
  assert.deepEqual(look(5000, worker(processed(4))), [], 'it worked meanwhile, though no look saw it');
  assert.deepEqual(look(9000, worker(processed(4))), []);
  assert.deepEqual(look(10_000, worker(processed(4))), ['5000 IDLE ocr']);
  assert.deepEqual(look(11_000, worker(processed(5))), ['11000 PROCESSING ocr']);
});

test('a worker that flips its state with every look makes a bounded number of events', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 600, maxLength: 600 }), (busy) => {
      const look = watch();
      let events = 0;
      for (const [second, isBusy] of busy.entries())
        events += look(1000 * second, worker({ state: isBusy ? 'PROCESSING' : 'IDLE' })).length;
      assert.ok(events <= 1 + (2 * 600) / 5);
    }),
    { numRuns: 20 },
  );
});

test('a switch between two looks is reported with the times of the worker', () => {
  const look = watch();
  look(0, worker({ state: 'PROCESSING' }));
  const moved = { stage: 'merge', lastSwitch: { from: 400, to: 450 } };
  assert.deepEqual(look(1000, worker(moved, { stage: 'merge' })), [
    '400 RECONFIGURING merge',
    '450 IDLE merge',
  ]);
  assert.deepEqual(look(2000, worker(moved, { stage: 'merge' })), []);
});

test('a long switch is reported at both ends, and the last message still counts for the old stage', () => {
  const look = watch();
  look(0, worker({ state: 'PROCESSING', inFlight: 1 }));
  const finishing = worker({ state: 'RECONFIGURING', inFlight: 1 }, { stage: 'merge' });
  assert.deepEqual(look(1000, finishing), []);
  const loading = { state: 'RECONFIGURING', stage: null } as const;
  const begun = worker({ ...loading, lastSwitch: { from: 1300, to: null } }, { stage: 'merge' });
  assert.deepEqual(look(2000, begun), ['1300 RECONFIGURING merge']);
  const done = { stage: 'merge', state: 'PROCESSING', lastSwitch: { from: 1300, to: 2600 } } as const;
  assert.deepEqual(look(3000, worker(done, { stage: 'merge' })), ['2600 PROCESSING merge']);
});

test('times of a worker with a wrong clock are limited to the time between two looks', () => {
  const look = watch();
  look(0, worker({}));
  look(1000, worker({}));
  const moved = worker({ stage: 'b', lastSwitch: { from: 5, to: 99_000 } }, { stage: 'b' });
  assert.deepEqual(look(2000, moved), ['1000 RECONFIGURING b', '2000 IDLE b']);
});

test('a worker that vanished is dead; one that stopped cleanly or was forgotten has left', () => {
  const states = new WorkerStates();
  const ids = ['gone', 'stopped', 'forgotten'];
  const of = (id: string, more = {}) => ({ ...record, id, ...more });
  states.look(
    ids.map((id) => ({ record: of(id), presence, state: 'IDLE' })),
    0,
    0,
  );
  const events = states.look(
    [
      { record: of('gone'), presence: null, state: 'DEAD' },
      { record: of('stopped', { leftAt: 700 }), presence: null, state: 'DEAD' },
    ],
    1000,
    0,
  );
  assert.deepEqual(
    events.map(({ entity, at, dimensions }) => [entity, at, dimensions.state, dimensions.left ?? 0]),
    [
      ['gone', 1000, 'DEAD', 0],
      ['stopped', 700, 'DEAD', 1],
      ['forgotten', 1000, 'DEAD', 1],
    ],
  );
  assert.deepEqual(
    states.all(2000).map(({ entity }) => entity),
    ['gone'],
  );
});
