/** What happened between two times: who served which stage when, and how long the queues were. */
export interface Trace {
  /** Milliseconds since the epoch, or since the start of a simulation. */
  from: number;
  to: number;
  workers: WorkerTrace[];
  queues: QueueTrace[];
}

export interface WorkerTrace {
  id: string;
  /** In order, without overlap. A time without a span is one of which nothing is known. */
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
  /** In order; a length holds until the next point, null says that nothing is known from there on. */
  points: { at: number; length: number | null }[];
}

export function greatestLength(points: QueueTrace['points']): number {
  return points.reduce((most, { length }) => Math.max(most, length ?? 0), 0);
}
