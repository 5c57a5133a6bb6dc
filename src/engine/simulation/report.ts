import { setImmediate } from 'node:timers/promises';
import { type PolicyName, policies } from '../watchdog/policies.ts';
import { type Measures, mean, measure } from './measures.ts';
import { noRecorder, type Recorder } from './recorder.ts';
import { referenceMean } from './reference.ts';
import { simulate } from './simulate.ts';
import type { Workload } from './workload.ts';

/** The report of `pismak simulate` on a policy: times in seconds, averaged over all seeds. */
export interface Report extends Measures {
  policy: PolicyName;
  workload: string;
  /** The first seed and the number of seeds. */
  seed: number;
  seeds: number;
  /** Mean time in the system if switching cost nothing and requests were served first come, first served. */
  referenceMean: number;
}

export interface ReportOptions {
  policy: PolicyName;
  seed: number;
  seeds?: number;
  /** Records the run of the first seed. */
  recorder?: Recorder;
  signal?: AbortSignal;
}

/** Simulates a workload with several seeds, one after another. */
export async function report(load: Workload, options: ReportOptions): Promise<Report> {
  const { policy, seed, seeds = 1, recorder = noRecorder, signal } = options;
  const runs: Measures[] = [];
  const references: number[] = [];
  for (let each = seed; each < seed + seeds; each++) {
    // A simulation never yields: this lets other work run, including an abort.
    await setImmediate(undefined, { signal });
    runs.push(measure(simulate(load, policies[policy], each, each === seed ? recorder : noRecorder)));
    references.push(referenceMean(load, each) / 1000);
  }
  const { name: workload = 'unnamed' } = load;
  return { policy, workload, seed, seeds, referenceMean: mean(references), ...meanOf(runs) };
}

function meanOf(runs: readonly Measures[]): Measures {
  const of = (pick: (run: Measures) => number) => mean(runs.map(pick));
  return {
    requests: of((run) => run.requests),
    finished: of((run) => run.finished),
    meanTimeInSystem: of((run) => run.meanTimeInSystem),
    medianTimeInSystem: of((run) => run.medianTimeInSystem),
    p95TimeInSystem: of((run) => run.p95TimeInSystem),
    maxTimeInSystem: of((run) => run.maxTimeInSystem),
    waiting: Object.fromEntries(
      Object.keys(runs[0]?.waiting ?? {}).map((stage) => [stage, of((run) => run.waiting[stage] ?? 0)]),
    ),
    switches: of((run) => run.switches),
    makespan: of((run) => run.makespan),
    utilisation: of((run) => run.utilisation),
    switching: of((run) => run.switching),
  };
}
