import type { QueueTrace, Span, Trace } from './trace.ts';

/** Reduces the trace to this many columns. In each column, a worker does what it did longest there. */
export function thinTrace(trace: Trace, columns: number): Trace {
  const grid = { from: trace.from, to: trace.to, columns };
  return {
    ...trace,
    workers: trace.workers.map(({ id, spans }) => ({
      id,
      spans: spans.length <= columns ? spans : longestPerColumn(spans, grid),
    })),
    queues: trace.queues.map(({ stage, points }) => ({
      stage,
      points: points.length <= 2 * columns ? points : extremesPerColumn(points, grid),
    })),
  };
}

/** A time cut into columns of the same width. */
export interface Grid {
  from: number;
  to: number;
  columns: number;
}

/**
 * Where a column begins and the previous one ends. Always computed here, because two formulas would differ in the last
 * digit: 11 columns of 100 / 11 end after 100.
 */
export function edgeOf({ from, to, columns }: Grid, column: number): number {
  return column === columns ? to : from + ((to - from) * column) / columns;
}

/** What each column shows for a worker; undefined where most of the time is unknown. */
export function spanColumns(spans: readonly Span[], grid: Grid): (Span | undefined)[] {
  const cells: (Span | undefined)[] = new Array(grid.columns).fill(undefined);
  let first = 0;
  for (let column = 0; column < grid.columns; column++) {
    const start = edgeOf(grid, column);
    const end = edgeOf(grid, column + 1);
    const times = new Map<string, { span: Span; ms: number }>();
    let known = 0;
    while ((spans[first]?.to ?? Number.POSITIVE_INFINITY) <= start) first++;
    for (let index = first; (spans[index]?.from ?? Number.POSITIVE_INFINITY) < end; index++) {
      const span = spans[index];
      if (!span) break;
      const ms = Math.min(span.to, end) - Math.max(span.from, start);
      const key = `${span.kind} ${span.stage}`;
      const time = times.get(key) ?? { span, ms: 0 };
      time.ms += ms;
      known += ms;
      times.set(key, time);
    }
    if (2 * known < end - start) continue;
    let longest = 0;
    for (const { span, ms } of times.values()) {
      if (ms <= longest) continue;
      longest = ms;
      cells[column] = span;
    }
  }
  return cells;
}

function longestPerColumn(spans: readonly Span[], grid: Grid): Span[] {
  const out: Span[] = [];
  for (const [column, cell] of spanColumns(spans, grid).entries()) {
    if (!cell) continue;
    const from = edgeOf(grid, column);
    const to = edgeOf(grid, column + 1);
    const last = out.at(-1);
    if (last && last.to === from && last.stage === cell.stage && last.kind === cell.kind) last.to = to;
    else out.push({ from, to, stage: cell.stage, kind: cell.kind });
  }
  return out;
}

/** The highest value of each column, so that no peak is lost, and the last value. */
function extremesPerColumn(points: QueueTrace['points'], grid: Grid): QueueTrace['points'] {
  const columns = new Map<number, QueueTrace['points']>();
  const width = (grid.to - grid.from) / grid.columns;
  for (const point of points) {
    const column = Math.min(grid.columns - 1, Math.floor((point.at - grid.from) / width));
    const [highest] = columns.get(column) ?? [];
    const isHigher = !highest || (point.length ?? -1) >= (highest.length ?? -1);
    columns.set(column, isHigher ? [point] : [highest, point]);
  }
  return [...columns.values()].flat();
}
