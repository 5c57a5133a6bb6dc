/** The same work for everybody: jobs of 1 KB, enqueued, worked (a handler that does nothing) and acked. */
export const jobs = 10_000;
export const bodyBytes = 1024;
export const concurrencies = [10, 50] as const;

/** One way to do the work: resolves to the seconds from the first enqueue to the last ack being as durable as it gets. */
export interface Contender {
  name: string;
  /** What it promises, what it reads ahead and what it batches. */
  terms: string;
  run(concurrency: number): Promise<number>;
}

export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
