import { parametric } from '../../src/engine/watchdog/parametric.ts';
import type { Policy, Snapshot, WorkerSnapshot } from '../../src/engine/watchdog/policy.ts';
import { printMarkdown } from '../transcription/report.ts';
import { averagesOf, builtIn, referenceOf } from './averages.ts';
import { type Bound, type Other, type StageNumber, solveBound } from './bound.ts';

/** In the reference two requests are always in progress, each half done on average; nothing else is lost. */
const underWaySeconds = 107.5 / 2;

/** The bound on `seed`, and what the best decisions give when the watchdog makes them every 10 s or every second. */
export function boundPart(seeds: number): object {
  const started = performance.now();
  const bound = solveBound();
  const load = builtIn('seed');
  const old = averagesOf(load, parametric, seeds).mean;
  const least = referenceOf(load, seeds) - underWaySeconds + bound.extraSeconds;
  const planned = (seconds: number) =>
    averagesOf({ ...load, planning: seconds }, bestDecisions(bound), seeds).mean;
  const [every10, every1] = [planned(10), planned(1)];
  console.log(
    `\nThe best of all policies on seed, solved in ${Math.round((performance.now() - started) / 1000)} s\n`,
  );
  printMarkdown([
    ['', 'mean', 'of parametric'],
    ['deciding at every moment (bound)', least.toFixed(0), (least / old).toFixed(3)],
    ['its decisions, made every 10 s (simulated)', every10.toFixed(0), (every10 / old).toFixed(3)],
    ['its decisions, made every second (simulated)', every1.toFixed(0), (every1 / old).toFixed(3)],
  ]);
  return { boundMean: least, plannedMean: every10, everySecondMean: every1, parametricMean: old };
}

/** Assigns each worker, in the order in which they will be free, as the solution would at that moment. */
function bestDecisions(bound: Bound): Policy {
  return (snapshot, parameters) => {
    const targets = new Map(snapshot.workers.map(({ id, stage }) => [id, numberOf(snapshot, stage)]));
    const assignments = snapshot.workers
      .toSorted((a, b) => freeInMs(snapshot, a) - freeInMs(snapshot, b))
      .flatMap((worker) => {
        const colleague = snapshot.workers.find(({ id }) => id !== worker.id);
        const target = (colleague && targets.get(colleague.id)) ?? 0;
        const { waiting, other } = whenFree(snapshot, worker, colleague, target);
        const from = numberOf(snapshot, worker.serving ?? null);
        const [q1 = 0, q2 = 0, q3 = 0] = waiting;
        let to = from === undefined ? 0 : bound.next(from, other, q2, q3);
        // At the end stage 1 runs dry, which the model ignores.
        if (to === 0 && q1 <= (target === 0 ? 1 : 0)) to = q3 > 0 ? 2 : q2 > 0 ? 1 : 0;
        targets.set(worker.id, to);
        const name = snapshot.stages[to]?.name ?? '';
        if (name === worker.stage) return [];
        return [{ worker: worker.id, from: worker.stage, to: name, unlockAt: 0, reason: '' }];
      });
    return { assignments, queues: parametric(snapshot, parameters).queues };
  };
}

/** What waits and what the other worker does, as far as known, at the moment when this one is free. */
function whenFree(
  snapshot: Snapshot,
  worker: WorkerSnapshot,
  colleague: WorkerSnapshot | undefined,
  target: StageNumber,
): { waiting: number[]; other: Other } {
  const waiting = snapshot.stages.map((stage) => stage.length);
  const handOn = ({ serving, inFlight }: WorkerSnapshot) => {
    const next = (numberOf(snapshot, serving ?? null) ?? 2) + 1;
    if (inFlight > 0 && next < waiting.length) waiting[next] = (waiting[next] ?? 0) + 1;
  };
  handOn(worker);
  const stage = (colleague && numberOf(snapshot, colleague.serving ?? null)) ?? target;
  if (!colleague || colleague.inFlight === 0) {
    return { waiting, other: { kind: stage === target ? 'idle' : 'switches', stage: target, elapsedMs: 0 } };
  }
  const freeIn = freeInMs(snapshot, worker);
  if (freeInMs(snapshot, colleague) > freeIn) {
    return { waiting, other: { kind: 'serves', stage, elapsedMs: (colleague.busyMs ?? 0) + freeIn } };
  }
  handOn(colleague);
  return { waiting, other: { kind: stage === target ? 'serves' : 'switches', stage: target, elapsedMs: 0 } };
}

function numberOf({ stages }: Snapshot, name: string | null): StageNumber | undefined {
  const index = stages.findIndex((stage) => stage.name === name);
  return index === 0 || index === 1 || index === 2 ? index : undefined;
}

function freeInMs({ stages }: Snapshot, { serving, inFlight, busyMs = 0 }: WorkerSnapshot): number {
  const average = stages.find((stage) => stage.name === serving)?.averageMs ?? 0;
  return inFlight > 0 ? Math.max(0, average - busyMs) : 0;
}
