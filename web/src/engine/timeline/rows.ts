import type { Range, Span, Trace, WorkerTrace } from './trace.ts';
import { summaryOf } from './trace.ts';
import { type Unusual, unusualOf, waitingColumns } from './unusual.ts';

export type GroupBy = 'none' | 'host' | 'stage';

export interface WorkerRow {
  kind: 'worker';
  key: string;
  id: string;
  spans: readonly Span[];
  unusual: readonly Unusual[];
}

/** Several workers in one row: how many of them served what. */
export interface GroupRow {
  kind: 'group';
  key: string;
  name: string;
  workers: readonly WorkerTrace[];
  unusual: number;
  isOpen: boolean;
}

export type Row = WorkerRow | GroupRow;

/** More rows than these nobody reads one by one. */
export const readableRows = 24;

export interface RowChoice {
  groupBy: GroupBy;
  onlyUnusual: boolean;
  /** Groups that were opened or closed by hand. */
  turned: ReadonlySet<string>;
  hostOf: (worker: string) => string;
}

/** The rows of the time line, in the order of their names. Groups of many workers begin closed. */
export function rowsOf(trace: Trace, range: Range, choice: RowChoice): Row[] {
  const { groupBy, onlyUnusual, turned, hostOf } = choice;
  const waiting = waitingColumns(trace, range);
  const all = trace.workers
    .toSorted((a, b) => compareNumbered(a.id, b.id))
    .map((worker) => ({ worker, row: workerRow(worker, range, waiting) }))
    .filter(({ row }) => !onlyUnusual || row.unusual.length > 0);
  if (groupBy === 'none') return all.map(({ row }) => row);
  const groups = Map.groupBy(all, ({ worker }) =>
    groupBy === 'host' ? hostOf(worker.id) : (summaryOf(worker, range).stages[0]?.[0] ?? ''),
  );
  const beginsOpen = all.length <= readableRows;
  return [...groups]
    .sort(([a], [b]) => compareNumbered(a, b))
    .flatMap(([name, members]): Row[] => {
      const key = `group ${name}`;
      const isOpen = beginsOpen !== turned.has(key);
      const group: GroupRow = {
        kind: 'group',
        key,
        name,
        workers: members.map(({ worker }) => worker),
        unusual: members.filter(({ row }) => row.unusual.length > 0).length,
        isOpen,
      };
      return isOpen ? [group, ...members.map(({ row }) => row)] : [group];
    });
}

function workerRow(worker: WorkerTrace, range: Range, waiting: readonly boolean[]): WorkerRow {
  const { id, spans } = worker;
  return { kind: 'worker', key: `worker ${id}`, id, spans, unusual: unusualOf(worker, range, waiting) };
}

const collator = new Intl.Collator('en', { numeric: true });
/** scan-2 before scan-10. */
export function compareNumbered(a: string, b: string): number {
  return collator.compare(a, b);
}

/** For each column: how many workers served each stage there. `` is work of no stage, and switching or failed time counts as neither. */
export function servedPerColumn(
  workers: readonly WorkerTrace[],
  { from, to }: Range,
  columns: number,
): Map<string, Float32Array> {
  const served = new Map<string, Float32Array>();
  const columnMs = (to - from) / columns;
  for (const { spans } of workers)
    for (const span of spans) {
      if (span.kind !== 'serving') continue;
      const counts = served.get(span.stage) ?? new Float32Array(columns);
      served.set(span.stage, counts);
      const first = Math.max(0, Math.floor((span.from - from) / columnMs));
      const last = Math.min(columns, Math.ceil((span.to - from) / columnMs));
      for (let column = first; column < last; column++) {
        const start = from + column * columnMs;
        const part = (Math.min(span.to, start + columnMs) - Math.max(span.from, start)) / columnMs;
        counts[column] = (counts[column] ?? 0) + Math.max(0, part);
      }
    }
  return served;
}
