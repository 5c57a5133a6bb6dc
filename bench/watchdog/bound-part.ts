import { parametric } from '../../src/engine/watchdog/parametric.ts';
import type { Policy, Snapshot, WorkerSnapshot } from '../../src/engine/watchdog/policy.ts';
import { printMarkdown } from '../transcription/report.ts';
import { averagesOf, builtIn, referenceOf } from './averages.ts';
import { type Bound, solveBound } from './bound.ts';

/** Two requests are always under way in the reference, each half done on average; nothing else is lost there. */
const underWaySeconds = 107.5 / 2;

/** What is possible on `seed` at all, and what the best decisions give when the watchdog makes them every 10 s. */
export function boundPart(seeds: number): object {
  const started = performance.now();
  const bound = solveBound();
  const load = builtIn('seed');
  const old = averagesOf(load, parametric, seeds).mean;
  const least = referenceOf(load, seeds) - underWaySeconds + bound.extraSeconds;
  const planned = averagesOf(load, bestDecisions(bound), seeds).mean;
  console.log(
    `\nThe best of all policies on seed, solved in ${Math.round((performance.now() - started) / 1000)} s\n`,
  );
  printMarkdown([
    ['', 'mean', 'of parametric'],
    ['deciding at every moment (bound)', least.toFixed(0), (least / old).toFixed(3)],
    ['its decisions, made every 10 s (simulated)', planned.toFixed(0), (planned / old).toFixed(3)],
  ]);
  return { boundMean: least, plannedMean: planned, parametricMean: old };
}

/** Tells each worker, in the order in which they will be free, what the solution would tell it then. */
function bestDecisions(bound: Bound): Policy {
  return (snapshot, parameters) => {
    const { stages, workers } = snapshot;
    const places = new Map(workers.map(({ id, stage }) => [id, numberOf(snapshot, stage)]));
    const assignments = workers
      .toSorted((a, b) => freeInMs(snapshot, a) - freeInMs(snapshot, b))
      .flatMap((worker) => {
        const from = numberOf(snapshot, worker.serving ?? null);
        const other = numberOfOther(places, worker);
        const waiting = stages.map((stage) => stage.length);
        // Its own message will have gone on when it is free.
        if (worker.inFlight > 0 && from !== undefined && from < 2)
          waiting[from + 1] = (waiting[from + 1] ?? 0) + 1;
        const [q1 = 0, q2 = 0, q3 = 0] = waiting;
        let to = from === undefined ? 0 : bound.next(from, other, q2, q3);
        // At the end stage 1 does run dry, which the model doesn't know.
        if (to === 0 && q1 <= (other === 0 ? 1 : 0)) to = q3 > 0 ? 2 : q2 > 0 ? 1 : 0;
        places.set(worker.id, to);
        const name = stages[to]?.name ?? '';
        if (name === worker.stage) return [];
        return [{ worker: worker.id, from: worker.stage, to: name, unlockAt: 0, reason: '' }];
      });
    return { assignments, queues: parametric(snapshot, parameters).queues };
  };
}

function numberOf({ stages }: Snapshot, name: string | null): 0 | 1 | 2 | undefined {
  const index = stages.findIndex((stage) => stage.name === name);
  return index === 0 || index === 1 || index === 2 ? index : undefined;
}

function numberOfOther(
  places: ReadonlyMap<string, 0 | 1 | 2 | undefined>,
  { id }: WorkerSnapshot,
): 0 | 1 | 2 {
  for (const [other, stage] of places) if (other !== id) return stage ?? 0;
  return 0;
}

function freeInMs({ stages }: Snapshot, { serving, inFlight, busyMs = 0 }: WorkerSnapshot): number {
  const average = stages.find((stage) => stage.name === serving)?.averageMs ?? 0;
  return inFlight > 0 ? Math.max(0, average - busyMs) : 0;
}
