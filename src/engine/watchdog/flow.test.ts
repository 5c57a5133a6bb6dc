import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { at, snapshots, stage, worker } from '../testing/snapshots.ts';
import { flow } from './flow.ts';
import {
  defaultParameters,
  type Plan,
  type Snapshot,
  type StageSnapshot,
  type WorkerSnapshot,
} from './policy.ts';
import { unservedStages } from './unserved-stages.ts';

/** The watchdog's next snapshot if nothing has happened except its own decisions. */
function nextRound({ at, stages, workers }: Snapshot, plan: Plan, afterMs: number): Snapshot {
  const told = new Map(plan.assignments.map((each) => [each.worker, each]));
  const unserved = unservedStages(plan);
  return {
    at: at + afterMs,
    stages: stages.map((each) => ({
      ...each,
      waitingSince: unserved.has(each.name) ? (each.waitingSince ?? at) : null,
    })),
    workers: workers.map((each) => {
      const assignment = told.get(each.id);
      if (!assignment) return each;
      const { to, unlockAt } = assignment;
      // A worker without a message moves at once.
      const serving = each.inFlight === 0 ? { serving: to } : {};
      return { ...each, ...serving, failed: false, stage: to, unlockAt };
    }),
  };
}

/** The stage of a worker with a message is known. */
function asReported(each: WorkerSnapshot): WorkerSnapshot {
  return each.inFlight === 0 ? each : { ...each, serving: each.serving ?? each.stage ?? 'a' };
}

function isOpen({ priority, paused }: StageSnapshot): boolean {
  return priority >= 0 && !paused;
}

test('only allowed moves: never of dead, disabled or pinned workers, never to closed stages or without the labels they need', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const { assignments } = flow(snapshot, defaultParameters);
      for (const { worker: id, from, to, unlockAt } of assignments) {
        const moved = snapshot.workers.find((each) => each.id === id);
        const target = snapshot.stages.find((each) => each.name === to);
        assert.ok(moved?.alive && moved.enabled && !moved.pinned);
        assert.ok(target && isOpen(target));
        assert.ok(target.labels.every((label) => moved.labels.includes(label)));
        assert.ok(!moved.unable?.includes(to));
        assert.equal(from, moved.stage);
        assert.notEqual(from, to);
        assert.ok(unlockAt >= at);
      }
      assert.equal(new Set(assignments.map((each) => each.worker)).size, assignments.length);
    }),
  );
});

test('the same state gives the same plan, in any order of workers, and is not changed', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const before = JSON.stringify(snapshot);
      const first = flow(snapshot, defaultParameters);
      assert.equal(JSON.stringify(snapshot), before);
      const reversed = { ...snapshot, workers: snapshot.workers.toReversed() };
      assert.deepEqual(flow(reversed, defaultParameters).assignments, first.assignments);
    }),
  );
});

test('no herds: never more workers go to a stage than messages wait there or are on their way', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const { assignments } = flow(snapshot, defaultParameters);
      for (const { name, length } of snapshot.stages) {
        const sent = snapshot.workers.filter(
          ({ id, stage }) =>
            stage !== null && assignments.some(({ worker, to }) => worker === id && to === name),
        );
        const own = sent.filter((each) => each.inFlight > 0);
        assert.ok(sent.length <= length + own.length, `${sent.length} sent to ${name}: ${length} waiting`);
      }
    }),
  );
});

test('without waiting messages no worker is moved', () => {
  fc.assert(
    fc.property(snapshots, ({ stages, workers }) => {
      const idle = { at, stages: stages.map((each) => ({ ...each, length: 0 })), workers };
      const sentAhead = flow(idle, defaultParameters).assignments.filter(
        ({ worker: id }) => workers.find((each) => each.id === id)?.inFlight === 0,
      );
      assert.deepEqual(sentAhead, []);
    }),
  );
});

test('no flapping: a second plan at the same moment moves no worker again', () => {
  fc.assert(
    fc.property(snapshots, ({ workers, ...rest }) => {
      const snapshot = { ...rest, workers: workers.map(asReported) };
      const first = flow(snapshot, defaultParameters);
      const moved = new Set(first.assignments.map((each) => each.worker));
      const again = flow(nextRound(snapshot, first, 0), defaultParameters);
      assert.deepEqual(
        again.assignments.filter((each) => moved.has(each.worker)),
        [],
      );
    }),
    { numRuns: 500 },
  );
});

test('while nothing happens, plans stop moving workers', () => {
  fc.assert(
    fc.property(snapshots, ({ at, stages, workers }) => {
      // Stages that have already waited long would be served in turns.
      const fresh = stages.map((each) => ({ ...each, waitingSince: null }));
      let snapshot: Snapshot = { at, stages: fresh, workers: workers.map(asReported) };
      // Until all workers have stayed as long as their switch took, and before the patience with a stage ends.
      for (let round = 0; round < 50; round++) {
        const plan = flow(snapshot, defaultParameters);
        if (round >= 30) assert.deepEqual(plan.assignments, []);
        snapshot = nextRound(snapshot, plan, 10_000);
      }
    }),
    { numRuns: 200 },
  );
});

test('a worker whose switches are free does not come and go between a single message and a full queue', () => {
  const stages = [
    stage('a', { length: 1, averageMs: 50, priority: 0.5, labels: ['large'] }),
    stage('c', { length: 108, averageMs: 0 }),
  ];
  const workers = [worker('other'), worker('free', { labels: ['large'], coldMs: 0 })];
  let snapshot: Snapshot = { at, stages, workers };
  const moved: string[] = [];
  for (let round = 0; round < 10; round++) {
    const plan = flow(snapshot, defaultParameters);
    moved.push(...plan.assignments.map(({ worker: id, to }) => `${id} -> ${to}`));
    snapshot = nextRound(snapshot, plan, 10_000);
  }
  assert.ok(moved.length <= 3, moved.join(', '));
});

function moves(stages: StageSnapshot[], workers: WorkerSnapshot[]): string[] {
  return flow({ at, stages, workers }, defaultParameters).assignments.map(
    ({ worker, from, to }) => `${worker}: ${from} -> ${to}`,
  );
}

/** Two stages in a row. */
function row(first: number, second: number): StageSnapshot[] {
  return [stage('first', { length: first, next: { second: 1 } }), stage('second', { length: second })];
}

test('an idle worker goes where work waits, nearest to the end first', () => {
  assert.deepEqual(moves(row(5, 5), [worker('w')]), ['w: null -> second']);
  assert.deepEqual(moves(row(5, 0), [worker('w', { stage: 'second' })]), ['w: second -> first']);
});

test('a worker with work leaves it only for a lot, and a lot is small when switching is cheap', () => {
  const busy = worker('w', { stage: 'first', serving: 'first', inFlight: 1, loaded: ['second'] });
  assert.deepEqual(moves(row(50, 5), [{ ...busy, coldMs: 10_000, warmMs: 10_000 }]), []);
  assert.deepEqual(moves(row(50, 50), [{ ...busy, coldMs: 10_000, warmMs: 10_000 }]), ['w: first -> second']);
  assert.deepEqual(moves(row(50, 0), [{ ...busy, coldMs: 10_000, warmMs: 0 }]), ['w: first -> second']);
});

test('the priority of the administrator outweighs how near the end is', () => {
  const stages = [
    stage('first', { length: 5, priority: 9, next: { second: 1 } }),
    stage('second', { length: 5 }),
  ];
  assert.deepEqual(moves(stages, [worker('w')]), ['w: null -> first']);
});

test('a stage left unserved for too long gets a worker, even from a more urgent one', () => {
  const stages = [
    stage('urgent', { length: 1000, priority: 9 }),
    stage('forgotten', { length: 1, waitingSince: at - defaultParameters.patienceMs }),
  ];
  const busy = worker('w', { stage: 'urgent', serving: 'urgent', inFlight: 1 });
  assert.deepEqual(moves(stages, [busy]), ['w: urgent -> forgotten']);
  assert.deepEqual(moves(stages, [{ ...busy, pinned: true }]), []);
});

test('a worker does not leave work that few can do for work that others can do too', () => {
  const stages = [
    stage('gpu', { length: 5, labels: ['gpu'], next: { plain: 1 } }),
    stage('plain', { length: 0 }),
    stage('elsewhere'),
  ];
  const rare = { stage: 'gpu', serving: 'gpu', inFlight: 1, labels: ['gpu'], coldMs: 0, warmMs: 0 };
  const idle = { stage: 'elsewhere', serving: 'elsewhere' };
  assert.deepEqual(moves(stages, [worker('rare', rare), worker('idle', idle)]), []);
  assert.deepEqual(moves(stages, [worker('rare', rare)]), ['rare: gpu -> plain']);
});
