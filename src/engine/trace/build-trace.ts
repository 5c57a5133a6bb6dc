import type { QueueTrace, Span, SpanKind, Trace, WorkerTrace } from './trace.ts';
import type { TraceEvent, TracePeriod } from './trace-period.ts';

/** The kind of span for each state of a worker. */
const kinds: Readonly<Record<string, SpanKind>> = {
  PROCESSING: 'serving',
  IDLE: 'idle',
  RECONFIGURING: 'switching',
  STARTING: 'switching',
  FAILED: 'failed',
  DEAD: 'failed',
};

/** Builds the trace between two times. Periods come in order; those before `from` give the state at `from`. */
export function buildTrace(periods: Iterable<TracePeriod>, range: { from: number; to: number }): Trace {
  const builder = new TraceBuilder(range);
  for (const period of periods) builder.add(period);
  return builder.finish();
}

/** The same, period by period, so that a long trace need not be held as events. */
export class TraceBuilder {
  readonly #from: number;
  readonly #to: number;
  readonly #workers = new Map<string, Row<Omit<Span, 'from' | 'to'>>>();
  readonly #queues = new Map<string, Row<number>>();
  #until = Number.NEGATIVE_INFINITY;

  constructor({ from, to }: { from: number; to: number }) {
    this.#from = from;
    this.#to = to;
  }

  add(period: TracePeriod): void {
    // Two leaders may write for a moment, until the old one learns that it lost: the first to write counts.
    if (period.until < this.#until || period.until < period.since) return;
    if (period.since > this.#until) this.#forget();
    const earliest = Math.max(period.since, this.#until);
    for (const event of period.events.toSorted((a, b) => a.at - b.at)) {
      this.#take(event, Math.min(Math.max(event.at, earliest), period.until));
    }
    this.#until = period.until;
  }

  finish(): Trace {
    this.#forget();
    const { from, to } = { from: this.#from, to: this.#to };
    const workers: WorkerTrace[] = [...this.#workers].map(([id, row]) => ({
      id,
      spans: row.parts.map(({ from, to, what }) => ({ from, to, ...what })),
    }));
    const queues: QueueTrace[] = [...this.#queues].map(([stage, row]) => ({
      stage,
      points: steps(row.parts),
    }));
    return {
      from,
      to,
      workers: workers.filter(({ spans }) => spans.length > 0).sort((a, b) => naturally.compare(a.id, b.id)),
      queues: queues
        .filter(({ points }) => points.length > 0)
        .sort((a, b) => naturally.compare(a.stage, b.stage)),
    };
  }

  #take({ kind, entity, dimensions }: TraceEvent, at: number): void {
    if (kind === 'queue.length') {
      rowOf(this.#queues, entity).set(at, Number(dimensions.ready ?? 0), this.#from, this.#to);
    } else if (kind === 'worker.state') {
      const spanKind = dimensions.left ? undefined : kinds[String(dimensions.state)];
      const what = spanKind && { stage: String(dimensions.stage ?? ''), kind: spanKind };
      rowOf(this.#workers, entity).set(at, what, this.#from, this.#to);
    }
  }

  /** Nothing is known after the last period, until the next event. */
  #forget(): void {
    for (const row of [...this.#workers.values(), ...this.#queues.values()]) {
      row.set(this.#until, undefined, this.#from, this.#to);
    }
  }
}

/** w2 before w10. */
const naturally = new Intl.Collator('en', { numeric: true });

/** The history of one worker or queue, part by part. */
class Row<What> {
  readonly parts: { from: number; to: number; what: What }[] = [];
  #what: What | undefined;
  #since = 0;

  /** Sets the value from `at` on to `what`. The part before is kept as far as it is in the range. */
  set(at: number, what: What | undefined, least: number, most: number): void {
    if (this.#what !== undefined) {
      const from = Math.max(this.#since, least);
      const to = Math.min(at, most);
      const last = this.parts.at(-1);
      if (from < to && last?.to === from && same(last.what, this.#what)) last.to = to;
      else if (from < to) this.parts.push({ from, to, what: this.#what });
    }
    this.#what = what;
    this.#since = at;
  }
}

function rowOf<What>(rows: Map<string, Row<What>>, name: string): Row<What> {
  const row = rows.get(name) ?? new Row<What>();
  rows.set(name, row);
  return row;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** A null marks where a length ends and none follows. */
function steps(parts: readonly { from: number; to: number; what: number }[]): QueueTrace['points'] {
  return parts.flatMap(({ from, to, what }, index) => {
    const point = { at: from, length: what };
    return parts[index + 1]?.from === to ? [point] : [point, { at: to, length: null }];
  });
}
