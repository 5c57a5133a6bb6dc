import type { Outcome } from './simulate.ts';

/** Figures of a simulation, in seconds. */
export interface Measures {
  requests: number;
  finished: number;
  meanTimeInSystem: number;
  medianTimeInSystem: number;
  p95TimeInSystem: number;
  maxTimeInSystem: number;
  /** Mean waiting for each stage. */
  waiting: Record<string, number>;
  switches: number;
  makespan: number;
  /** Share of the workers' time spent on messages. */
  utilisation: number;
  /** Share spent on switching. */
  switching: number;
}

export function measure(outcome: Outcome): Measures {
  const times = outcome.finished.map(({ arrivedAt, finishedAt }) => (finishedAt - arrivedAt) / 1000);
  times.sort((a, b) => a - b);
  return {
    requests: outcome.requests,
    finished: times.length,
    meanTimeInSystem: mean(times),
    medianTimeInSystem: quantile(times, 0.5),
    p95TimeInSystem: quantile(times, 0.95),
    maxTimeInSystem: times.at(-1) ?? 0,
    waiting: Object.fromEntries([...outcome.waits].map(([stage, waits]) => [stage, mean(waits) / 1000])),
    switches: outcome.switches,
    makespan: outcome.makespanMs / 1000,
    utilisation: outcome.workingShare,
    switching: outcome.switchingShare,
  };
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((total, each) => total + each, 0) / numbers.length;
}

/** The smallest number that is at least as large as the given share of all numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
