import type { Shape } from './data.ts';

/** What is asked, in days since 1970. */
export interface Question {
  user: string;
  from: number;
  to: number;
  costBelow?: number | undefined;
  /** Whether the filter looks at the interval or at all time. */
  over: 'interval' | 'all';
}

/** Told often; what is told is printed every few seconds. The beginning of a `step`, which may take minutes, is always printed. */
export type Progress = (what: string, step?: 'step') => void;

/** An engine that answers the same questions on the same data. */
export interface Contestant {
  name: string;
  load(user: string, shape: Shape, progress: Progress): Promise<void>;
  /** Builds weeks, months, totals and indexes. */
  finish(progress: Progress): Promise<void>;
  /** The sums over a weekly series of whole weeks: four dimensions. */
  series(question: Question): Promise<number[]>;
  /** The costs of the fifty dearest entities. */
  table(question: Question): Promise<number[]>;
  close(): Promise<void>;
}

export interface Times {
  p50: number;
  least: number;
  p99: number;
}

/** Fewer calls would say little. */
const fewestCalls = 5;

/** Asks questions one after the other, a few at least and then as many as `mostMs` allows, and returns the times in ms. */
export async function measure(
  questions: readonly Question[],
  ask: (question: Question) => Promise<number[]>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<{ times: Times; ms: number[]; answers: number[][] }> {
  const ms: number[] = [];
  const answers: number[][] = [];
  const end = performance.now() + mostMs;
  for (const question of questions) {
    if (ms.length >= fewestCalls && performance.now() > end) break;
    const began = performance.now();
    answers.push(await ask(question));
    ms.push(performance.now() - began);
  }
  return { times: timesOf(ms), ms, answers };
}

export function timesOf(all: readonly number[]): Times {
  const ms = all.toSorted((one, other) => one - other);
  const at = (share: number) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0;
  return { p50: at(0.5), least: ms[0] ?? 0, p99: at(0.99) };
}
