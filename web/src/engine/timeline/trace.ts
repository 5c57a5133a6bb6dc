import type { Operations } from '../../api/types.ts';

/** Who served what, and how long the queues were, between two times. */
export type Trace = Operations['trace.show']['output'];
export type WorkerTrace = Trace['workers'][number];
export type Span = WorkerTrace['spans'][number];

export interface Range {
  from: number;
  to: number;
}

/** What a worker did in a range. Times that nobody knows of are in none of them. */
export interface Summary {
  servingMs: number;
  switchingMs: number;
  idleMs: number;
  failedMs: number;
  switches: number;
  /** Stages with the time they were served, the longest first. */
  stages: [stage: string, ms: number][];
}

export function summaryOf({ spans }: WorkerTrace, { from, to }: Range): Summary {
  const times = { serving: 0, switching: 0, idle: 0, failed: 0 };
  const stages = new Map<string, number>();
  let switches = 0;
  for (const span of spans) {
    const ms = Math.min(span.to, to) - Math.max(span.from, from);
    if (ms <= 0) continue;
    times[span.kind] += ms;
    if (span.kind === 'switching') switches++;
    if (span.kind === 'serving' && span.stage !== '')
      stages.set(span.stage, (stages.get(span.stage) ?? 0) + ms);
  }
  return {
    servingMs: times.serving,
    switchingMs: times.switching,
    idleMs: times.idle,
    failedMs: times.failed,
    switches,
    stages: [...stages].sort((a, b) => b[1] - a[1]),
  };
}

/** The stages of a trace that had work or workers: their order gives them their colours. */
export function stagesOf({ queues, workers }: Trace): string[] {
  const queued = queues.filter(({ points }) => points.some(({ length }) => (length ?? 0) > 0));
  const served = workers.flatMap(({ spans }) => spans.filter(({ kind }) => kind !== 'idle'));
  const names = [...queued, ...served].map(({ stage }) => stage);
  return [...new Set(names)].filter((stage) => stage !== '').sort();
}

/** How long a queue was at a moment; undefined: nobody knows. */
export function lengthAt(points: Trace['queues'][number]['points'], at: number): number | undefined {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return points[low - 1]?.length ?? undefined;
}

export function spanAt(spans: readonly Span[], at: number): Span | undefined {
  return spans.find(({ from, to }) => from <= at && at < to);
}
