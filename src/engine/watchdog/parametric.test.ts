import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { at, snapshots, stage, worker } from '../testing/snapshots.ts';
import { parametric } from './parametric.ts';
import { defaultParameters, type StageSnapshot, type WorkerSnapshot } from './policy.ts';

function plan(stages: StageSnapshot[], workers: WorkerSnapshot[]) {
  return parametric({ at, stages, workers }, defaultParameters);
}

function moves(stages: StageSnapshot[], workers: WorkerSnapshot[]): string[] {
  return plan(stages, workers).assignments.map(({ worker, from, to }) => `${worker}: ${from} -> ${to}`);
}

test('the priority of a queue is (L * AMT / (NW + 1) + WT) * (AP + 1), and the shares add up to 1', () => {
  const { queues } = plan(
    [
      stage('a', { length: 10, averageMs: 2000, waitingSince: at - 5000, priority: 1 }),
      stage('b', { length: 4, averageMs: 1000, waitingSince: at - 60_000, priority: 0.5 }),
    ],
    [worker('w1', { stage: 'b', inFlight: 1 })],
  );
  // a: (10 * 2 / 1 + 5) * 2 = 50; without the parenthesis it would be 30. b is served, so nothing of it waits: 4 / 2 * 1.5 = 3.
  assert.deepEqual(
    queues.map((queue) => [queue.stage, queue.workers, queue.waitingMs, queue.parametric, queue.relative]),
    [
      ['a', 0, 5000, 50, 50 / 53],
      ['b', 1, 0, 3, 3 / 53],
    ],
  );
});

test('idle workers go one after another to the queue of highest priority, recomputed after each', () => {
  // a: 30, 15, 10; b: 20, 10. So a (30), b (20 against 15), a (15 against 10).
  const stages = [stage('a', { length: 30 }), stage('b', { length: 20 })];
  assert.deepEqual(moves(stages, [worker('w1'), worker('w2'), worker('w3')]), [
    'w1: null -> a',
    'w2: null -> b',
    'w3: null -> a',
  ]);
});

test('waiting time counts until the queue gets its first worker and not after', () => {
  // b: 1 + 100 = 101 against 60; then 0.5 against 60 and 30.
  const stages = [stage('a', { length: 60 }), stage('b', { length: 1, waitingSince: at - 100_000 })];
  assert.deepEqual(moves(stages, [worker('w1'), worker('w2'), worker('w3')]), [
    'w1: null -> b',
    'w2: null -> a',
    'w3: null -> a',
  ]);
});

test('a worker with an empty queue and no message is idle, locked or not', () => {
  const stages = [stage('a', { length: 5 }), stage('b')];
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'b', unlockAt: at + 60_000 })]), ['w1: b -> a']);
});

test('a worker that cannot load its stage goes to another one at once, and never back in the same plan', () => {
  const stages = [stage('broken', { length: 1000 }), stage('sound', { length: 1 })];
  const failed = { stage: 'broken', failed: true, unlockAt: at + 60_000 };
  assert.deepEqual(moves(stages, [worker('w1', failed)]), ['w1: broken -> sound']);
  assert.deepEqual(moves([stage('broken', { length: 1000 })], [worker('w1', failed)]), []);
});

test('a worker is not sent to a stage that it recently failed to load, and others are', () => {
  const stages = [stage('broken', { length: 9 }), stage('fine', { length: 1 })];
  const workers = [worker('w1', { unable: ['broken'] }), worker('w2')];
  assert.deepEqual(moves(stages, workers).sort(), ['w1: null -> fine', 'w2: null -> broken']);
});

test('a worker of a stage that no longer exists is idle', () => {
  assert.deepEqual(moves([stage('a', { length: 5 })], [worker('w1', { stage: 'gone', inFlight: 1 })]), [
    'w1: gone -> a',
  ]);
});

test('a worker busy only with shared stages is idle if its own stage has nothing in flight', () => {
  const stages = [stage('a', { length: 5 }), stage('b')];
  const workers = [worker('w1', { stage: 'b', inFlight: 3 }), worker('w2', { stage: 'b', inFlight: 3 })];
  assert.deepEqual(moves(stages, workers), ['w1: b -> a', 'w2: b -> a']);
});

test('when all are busy exactly one unlocked worker moves from the lowest queue to the highest', () => {
  const stages = [stage('high', { length: 100 }), stage('low', { length: 2 }), stage('mid', { length: 10 })];
  const busy = [
    worker('w1', { stage: 'mid', inFlight: 1 }),
    worker('w2', { stage: 'low', inFlight: 1, unlockAt: at + 1 }),
    worker('w3', { stage: 'low', inFlight: 1, unlockAt: at }),
    worker('w4', { stage: 'low', inFlight: 1 }),
  ];
  assert.deepEqual(moves(stages, busy), ['w3: low -> high']);
});

test('when the workers of the lowest queue are locked, the next higher queue gives one', () => {
  const stages = [stage('high', { length: 100 }), stage('low', { length: 2 }), stage('mid', { length: 10 })];
  const busy = [
    worker('w1', { stage: 'mid', inFlight: 1 }),
    worker('w2', { stage: 'low', inFlight: 1, unlockAt: at + 1 }),
  ];
  assert.deepEqual(moves(stages, busy), ['w1: mid -> high']);
});

test('messages in hand count like waiting ones, but no worker is sent where nothing waits', () => {
  const { queues, assignments } = plan(
    [stage('a', { length: 1 }), stage('b', { length: 1, inFlight: 2 }), stage('c', { inFlight: 9 })],
    [worker('w1')],
  );
  assert.deepEqual(
    queues.map(({ length }) => length),
    [1, 3, 9],
  );
  assert.deepEqual(
    assignments.map(({ to }) => to),
    ['b'],
  );
});

test('a locked worker that finishes the last message of its queue may be moved', () => {
  const stages = [stage('a', { length: 100 }), stage('b', { inFlight: 1 })];
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'b', inFlight: 1, unlockAt: at + 60_000 })]), [
    'w1: b -> a',
  ]);
});

test('nothing changes if all workers are locked or already serve the highest queue', () => {
  const stages = [stage('a', { length: 100 }), stage('b', { length: 1 })];
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'b', inFlight: 1, unlockAt: at + 1 })]), []);
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'a', inFlight: 1 })]), []);
});

test('a moved worker is locked for AMT * MMN + MRT', () => {
  const [assignment] = plan([stage('a', { length: 1, averageMs: 2500 })], [worker('w1')]).assignments;
  assert.equal(assignment?.unlockAt, at + 2500 * 10 + 10_000);
});

test('a stage with administrative priority -1, an empty one and a paused one get no worker', () => {
  const stages = [
    stage('never', { length: 1000, priority: -1, waitingSince: at - 1_000_000 }),
    stage('empty'),
    stage('paused', { length: 1000, paused: true }),
  ];
  const { assignments, queues } = plan(stages, [worker('w1')]);
  assert.deepEqual(assignments, []);
  assert.deepEqual(
    queues.map((queue) => [queue.parametric, queue.relative]),
    [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
  );
});

test('workers of a stage that was set to -1 are moved away first', () => {
  const stages = [stage('a', { length: 1 }), stage('never', { length: 1000, priority: -1 })];
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'never', inFlight: 1 })]), ['w1: never -> a']);
});

test('a worker gets only stages whose labels it has, and the least able one is taken first', () => {
  const stages = [stage('gpu', { length: 60, labels: ['gpu'] }), stage('plain', { length: 100 })];
  const workers = [worker('a', { labels: ['gpu'] }), worker('b')];
  assert.deepEqual(moves(stages, workers), ['b: null -> plain', 'a: null -> gpu']);
  assert.deepEqual(moves([stage('gpu', { length: 10, labels: ['gpu', 'big'] })], workers), []);
});

test('a queue that no worker can serve does not stop the others from being served', () => {
  const stages = [
    stage('gpu', { length: 1000, labels: ['gpu'] }),
    stage('low', { length: 1 }),
    stage('mid', { length: 50 }),
  ];
  assert.deepEqual(moves(stages, [worker('w1', { stage: 'low', inFlight: 1 })]), ['w1: low -> mid']);
});

test('pinned, disabled and dead workers stay; a pinned one still counts as serving', () => {
  const stages = [stage('a', { length: 10 })];
  const workers = [
    worker('pinned', { stage: 'a', pinned: true }),
    worker('pinned-idle', { pinned: true }),
    worker('disabled', { stage: 'a', enabled: false }),
    worker('dead', { stage: 'a', alive: false }),
  ];
  const { assignments, queues } = plan(stages, workers);
  assert.deepEqual(assignments, []);
  assert.equal(queues[0]?.workers, 1);
});

test('an unknown stage counts with the default time, and a quick one still has priority', () => {
  const { queues } = plan(
    [stage('new', { length: 3, averageMs: null }), stage('quick', { length: 3, averageMs: 0 })],
    [],
  );
  assert.equal(queues[0]?.averageMs, defaultParameters.unknownAverageMs);
  assert.ok((queues[1]?.parametric ?? 0) > 0);
});

test('for any state: only allowed moves, at most one busy worker, the same plan for the same state', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const { assignments, queues } = parametric(snapshot, defaultParameters);
      const stageOf = new Map(snapshot.stages.map((each) => [each.name, each]));
      let busyMoved = 0;
      for (const { worker: id, from, to, unlockAt } of assignments) {
        const moved = snapshot.workers.find((each) => each.id === id);
        const target = stageOf.get(to);
        assert.ok(moved?.alive && moved.enabled && !moved.pinned);
        assert.ok(target && target.priority > -1 && target.length > 0 && !target.paused);
        assert.ok(target.labels.every((label) => moved.labels.includes(label)));
        assert.equal(from, moved.stage);
        assert.notEqual(from, to);
        assert.ok(unlockAt > at);
        const source = from === null ? undefined : stageOf.get(from);
        const sourceEmpty = !source || source.paused || source.length === 0;
        const working = !sourceEmpty || (moved.inFlight > 0 && (source?.inFlight ?? 0) > 0);
        if (working && !moved.failed) busyMoved++;
        assert.ok(
          sourceEmpty || moved.failed || moved.unlockAt <= at,
          'a locked worker left a queue with messages',
        );
      }
      assert.equal(new Set(assignments.map((each) => each.worker)).size, assignments.length);
      assert.ok(busyMoved === 0 || (busyMoved === 1 && assignments.length === 1));
      for (const queue of queues) {
        const from = stageOf.get(queue.stage);
        const expected =
          ((queue.length * queue.averageMs) / (queue.workers + 1) + queue.waitingMs) *
          ((from?.priority ?? 0) + 1);
        assert.ok(Math.abs(queue.parametric * 1000 - expected) <= expected * 1e-9);
        assert.ok(queue.waitingMs === 0 || (queue.workers === 0 && queue.length > 0));
        assert.equal(queue.parametric > 0, queue.length > 0 && queue.priority > -1);
      }
      const shuffled = { at, stages: snapshot.stages, workers: snapshot.workers.toReversed() };
      assert.deepEqual(parametric(shuffled, defaultParameters).assignments, assignments);
    }),
  );
});
