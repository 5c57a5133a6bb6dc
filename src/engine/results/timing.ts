import { milliseconds, outputQueueOf, type Request } from '../request/request.ts';

/** How finished requests spent their time. */
export interface Timing {
  requests: number;
  failed: number;
  /** Intervals that are unknown because a timestamp is missing. */
  unknown: number;
  /** In the order in which requests pass them. */
  stages: StageTiming[];
  pipelines: PipelineTiming[];
}

export interface StageTiming {
  stage: string;
  count: number;
  failed: number;
  /** From the end of the previous stage (or from the submission) to the start. */
  waiting: Spread;
  /** From start to end of successful runs. */
  processing: Spread;
  /** Time spent on failed runs. */
  failedMs: number;
}

export interface PipelineTiming {
  /** The name; for an ad hoc list of stages, its output queue. */
  pipeline: string;
  count: number;
  failed: number;
  /** From the submission to the end of the last stage: the sum of waiting, processing and failed time of the stages. */
  total: Spread;
}

/** The three averages are null if there is nothing to average. */
export interface Spread {
  count: number;
  totalMs: number;
  meanMs: number | null;
  medianMs: number | null;
  p95Ms: number | null;
}

interface StageTimes {
  count: number;
  failed: number;
  waiting: number[];
  processing: number[];
  failedMs: number;
}

/** Adds up requests one by one, without keeping them. */
export function createTiming(): { add(request: Request): void; result(): Timing } {
  const stages = new Map<string, StageTimes>();
  const pipelines = new Map<string, { failed: number; count: number; total: number[] }>();
  let unknown = 0;

  function addLogs(request: Request): number | undefined {
    let before = milliseconds(request.startTime);
    for (const log of request.logs) {
      const times = stages.get(log.stage) ?? {
        count: 0,
        failed: 0,
        waiting: [],
        processing: [],
        failedMs: 0,
      };
      stages.set(log.stage, times);
      const start = milliseconds(log.start);
      const end = milliseconds(log.end);
      times.count++;
      if (before === undefined || start === undefined) unknown++;
      else times.waiting.push(start - before);
      const took = start === undefined || end === undefined ? undefined : end - start;
      if (took === undefined) unknown++;
      if (isFailed(log)) {
        times.failed++;
        times.failedMs += took ?? 0;
      } else if (took !== undefined) times.processing.push(took);
      before = end;
    }
    return before;
  }

  return {
    add(request) {
      const name = request.pipeline || outputQueueOf(request);
      const times = pipelines.get(name) ?? { count: 0, failed: 0, total: [] };
      pipelines.set(name, times);
      times.count++;
      if (hasFailed(request)) times.failed++;
      const start = milliseconds(request.startTime);
      const end = addLogs(request);
      if (start !== undefined && end !== undefined) times.total.push(end - start);
    },
    result() {
      const totals = [...pipelines].map(([pipeline, { count, failed, total }]) => ({
        pipeline,
        count,
        failed,
        total: spread(total),
      }));
      return {
        requests: totals.reduce((sum, { count }) => sum + count, 0),
        failed: totals.reduce((sum, { failed }) => sum + failed, 0),
        unknown,
        stages: [...stages].map(([stage, { waiting, processing, ...rest }]) => ({
          stage,
          ...rest,
          waiting: spread(waiting),
          processing: spread(processing),
        })),
        pipelines: totals,
      };
    },
  };
}

/** A request fails with its last stage: after a failure, only the output queue follows. */
export function hasFailed(request: Request): boolean {
  const last = request.logs.at(-1);
  return last !== undefined && isFailed(last);
}

function isFailed(log: { status: string }): boolean {
  return log.status !== 'OK';
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const totalMs = sorted.reduce((sum, value) => sum + value, 0);
  // Nearest rank: always a value that occurred.
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return {
    count: sorted.length,
    totalMs,
    meanMs: sorted.length === 0 ? null : totalMs / sorted.length,
    medianMs: at(0.5),
    p95Ms: at(0.95),
  };
}
