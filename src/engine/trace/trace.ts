/** What happened between two times: which worker served which stage when, and how long the queues were. */
export interface Trace {
  /** Milliseconds since the epoch, or since the start of a simulation. */
  from: number;
  to: number;
  workers: WorkerTrace[];
  queues: QueueTrace[];
}

export interface WorkerTrace {
  id: string;
  /** In order, without overlap. Nothing is known about a time without a span. */
  spans: Span[];
}

export interface Span {
  from: number;
  to: number;
  stage: string;
  kind: SpanKind;
}

export type SpanKind = 'serving' | 'switching' | 'idle' | 'failed';

export interface QueueTrace {
  stage: string;
  /** In order; a length holds until the next point; null means unknown from there on. */
  points: { at: number; length: number | null }[];
}

export function greatestLength(points: QueueTrace['points']): number {
  return points.reduce((most, { length }) => Math.max(most, length ?? 0), 0);
}

/** The same trace without the unknown time at its start. */
export function fromFirstKnown(trace: Trace): Trace {
  const known = [
    ...trace.workers.map(({ spans }) => spans[0]?.from ?? trace.to),
    ...trace.queues.map(({ points }) => points[0]?.at ?? trace.to),
  ];
  const first = known.reduce((least, at) => Math.min(least, at), trace.to);
  return { ...trace, from: first < trace.to ? first : trace.from };
}
