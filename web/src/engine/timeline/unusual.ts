import type { Range, Span, Trace, WorkerTrace } from './trace.ts';
import { summaryOf } from './trace.ts';

/** Why a worker deserves a look. */
export type Unusual =
  /** It could not load a stage, or crashed. */
  | { kind: 'failed'; times: number; stage: string }
  /** Nothing is known of it for this long: it stopped, or was cut off. */
  | { kind: 'away'; ms: number; still: boolean }
  /** It spends this share of its time on switching. */
  | { kind: 'switching'; share: number; times: number }
  /** It had nothing to do while messages waited. */
  | { kind: 'idle'; ms: number };

const columns = 400;
const muchSwitching = 0.15;
const fewSwitches = 3;
const longAway = 0.02;
const longIdle = 0.2;

/** Whether messages waited anywhere, for each of 400 parts of the range. */
export function waitingColumns({ queues }: Trace, { from, to }: Range): boolean[] {
  const columnMs = (to - from) / columns;
  const busy = new Array<boolean>(columns).fill(false);
  for (const { points } of queues)
    for (const [index, { at, length }] of points.entries()) {
      if ((length ?? 0) === 0) continue;
      const until = points[index + 1]?.at ?? to;
      const first = Math.max(0, Math.floor((at - from) / columnMs));
      const last = Math.min(columns, Math.ceil((until - from) / columnMs));
      for (let column = first; column < last; column++) busy[column] = true;
    }
  return busy;
}

/** What is unusual about a worker in the range; empty: nothing. */
export function unusualOf(worker: WorkerTrace, range: Range, waiting: readonly boolean[]): Unusual[] {
  const { spans } = worker;
  const found: Unusual[] = [];
  const failed = spans.filter((span) => span.kind === 'failed' && isWithin(span, range));
  const [firstFailed] = failed;
  if (firstFailed) found.push({ kind: 'failed', times: failed.length, stage: firstFailed.stage });
  const away = longestGap(spans, range);
  if (away && away.ms > (range.to - range.from) * longAway) found.push({ kind: 'away', ...away });
  const { servingMs, switchingMs, idleMs, failedMs, switches } = summaryOf(worker, range);
  const known = servingMs + switchingMs + idleMs + failedMs;
  if (switches >= fewSwitches && switchingMs > known * muchSwitching)
    found.push({ kind: 'switching', share: switchingMs / known, times: switches });
  const idle = idleWhileWaiting(spans, range, waiting);
  if (idle > (range.to - range.from) * longIdle) found.push({ kind: 'idle', ms: idle });
  return found;
}

const isWithin = (span: Span, { from, to }: Range) => span.to > from && span.from < to;

/** Between its spans, and after the last one. What was before the first one is not held against it. */
function longestGap(spans: readonly Span[], { from, to }: Range): { ms: number; still: boolean } | undefined {
  let longest: { ms: number; still: boolean } | undefined;
  let last: number | undefined;
  for (const span of spans) {
    if (last !== undefined && last >= from && span.from - last > (longest?.ms ?? 0))
      longest = { ms: span.from - last, still: false };
    last = span.to;
  }
  if (last !== undefined && last >= from && to - last > (longest?.ms ?? 0))
    longest = { ms: to - last, still: true };
  return longest;
}

function idleWhileWaiting(spans: readonly Span[], { from, to }: Range, waiting: readonly boolean[]): number {
  const columnMs = (to - from) / columns;
  let ms = 0;
  for (const span of spans) {
    if (span.kind !== 'idle') continue;
    const first = Math.max(0, Math.ceil((span.from - from) / columnMs));
    const last = Math.min(columns, Math.floor((span.to - from) / columnMs));
    for (let column = first; column < last; column++) if (waiting[column]) ms += columnMs;
  }
  return ms;
}
