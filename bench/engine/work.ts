/** The same work for every contender: jobs of 1 KB, enqueued, handled (by a handler that does nothing) and acked. */
export const jobs = 10_000;
export const bodyBytes = 1024;
export const concurrencies = [10, 50] as const;

/** What is timed: both at once, and each alone (`work`: from the first start to the last ack being durable). */
export const phases = ['end to end', 'enqueue', 'work'] as const;
export type Phase = (typeof phases)[number];
/** Seconds; end to end from the first enqueue to the last ack being as durable as it gets. */
export type Timings = { 'end to end': number } & { [each in Phase]?: number };

/** One way to do the work. */
export interface Contender {
  name: string;
  /** What it promises, what it reads ahead and what it batches. */
  terms: string;
  /** Fewer jobs for a contender that would take minutes: only rates are compared. */
  jobs?: number;
  run(concurrency: number): Promise<Timings>;
}

export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** When `count` jobs are done, and when the first of them began. */
export class Tally {
  readonly #count: number;
  readonly #all = Promise.withResolvers<void>();
  #done = 0;
  begunAt = 0;

  constructor(count: number) {
    this.#count = count;
  }

  get finished(): Promise<void> {
    return this.#all.promise;
  }

  begin(): void {
    this.begunAt ||= performance.now();
  }

  add(count = 1): void {
    this.begin();
    this.#done += count;
    if (this.#done >= this.#count) this.#all.resolve();
  }

  fail(error: unknown): void {
    this.#all.reject(error);
  }
}

/** Calls `work` with 0 .. count-1, at most `window` at a time. */
export async function inWindow(count: number, window: number, work: (index: number) => Promise<unknown>) {
  let next = 0;
  const some = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, some));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
