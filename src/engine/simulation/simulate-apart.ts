import { inThread } from '../process/in-thread.ts';
import type { Trace } from '../trace/trace.ts';
import type { PolicyName } from '../watchdog/policies.ts';
import type { Report } from './report.ts';
import type { Workload } from './workload.ts';

export interface SimulationQuestion {
  load: Workload;
  policies: readonly PolicyName[];
  seed: number;
  seeds: number;
  /** Time steps of the traces. */
  steps: number;
}

/** For each policy its figures, and the run of the first seed. */
export type SimulationAnswer = (Report & { trace: Trace })[];

const memoryMb = 512;

/** Simulates in a thread of its own, which ends with the signal. */
export function simulateApart(question: SimulationQuestion, signal: AbortSignal): Promise<SimulationAnswer> {
  return inThread(new URL('./simulate-thread.ts', import.meta.url), question, { signal, memoryMb });
}
