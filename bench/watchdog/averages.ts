import { type Measures, mean, measure } from '../../src/engine/simulation/measures.ts';
import { referenceMean } from '../../src/engine/simulation/reference.ts';
import { simulate } from '../../src/engine/simulation/simulate.ts';
import { type Workload, type WorkloadText, workload } from '../../src/engine/simulation/workload.ts';
import { workloads } from '../../src/engine/simulation/workloads.ts';
import type { Policy } from '../../src/engine/watchdog/policy.ts';

/** Means over some seeds, in seconds. */
export interface Averages {
  mean: number;
  p95: number;
  switches: number;
}

export function builtIn(name: string, more: Partial<WorkloadText> = {}): Workload {
  return workload.parse({ name, ...workloads[name], ...more });
}

export function averagesOf(load: Workload, policy: Policy, seeds: number): Averages {
  const runs = overSeeds(seeds, (seed) => measure(simulate(load, policy, seed)));
  const of = (pick: (run: Measures) => number) => mean(runs.map(pick));
  return {
    mean: of((run) => run.meanTimeInSystem),
    p95: of((run) => run.p95TimeInSystem),
    switches: of((run) => run.switches),
  };
}

/** First come, first served, with switches that cost nothing. */
export function referenceOf(load: Workload, seeds: number): number {
  return mean(overSeeds(seeds, (seed) => referenceMean(load, seed) / 1000));
}

function overSeeds<T>(seeds: number, run: (seed: number) => T): T[] {
  return Array.from({ length: seeds }, (_, index) => run(index + 1));
}
