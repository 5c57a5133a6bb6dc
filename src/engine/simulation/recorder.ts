import type { QueueTrace, SpanKind, Trace, WorkerTrace } from '../trace/trace.ts';

/** Receives the events of a simulation, to draw it. */
export interface Recorder {
  /** The worker starts doing this. */
  span(worker: string, at: number, stage: string, kind: SpanKind): void;
  length(stage: string, at: number, length: number): void;
  end(at: number): void;
}

export const noRecorder: Recorder = { span() {}, length() {}, end() {} };

/** Records a trace, which is drawn like the trace of a real run. */
export class SimulatedTrace implements Recorder {
  readonly trace: Trace = { from: 0, to: 0, workers: [], queues: [] };

  span(id: string, at: number, stage: string, kind: SpanKind): void {
    const { spans } = this.#worker(id);
    const last = spans.at(-1);
    if (last) {
      if (last.stage === stage && last.kind === kind) return;
      last.to = at;
      if (last.from === at) spans.pop();
    }
    spans.push({ from: at, to: at, stage, kind });
  }

  length(stage: string, at: number, length: number): void {
    const { points } = this.#queue(stage);
    const last = points.at(-1);
    if (last?.at === at) last.length = length;
    else points.push({ at, length });
  }

  end(at: number): void {
    this.trace.to = at;
    for (const { spans } of this.trace.workers) {
      const last = spans.at(-1);
      if (last) last.to = at;
    }
    this.trace.workers.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  }

  #worker(id: string): WorkerTrace {
    const known = this.trace.workers.find((each) => each.id === id);
    if (known) return known;
    const worker: WorkerTrace = { id, spans: [] };
    this.trace.workers.push(worker);
    return worker;
  }

  #queue(stage: string): QueueTrace {
    const known = this.trace.queues.find((each) => each.stage === stage);
    if (known) return known;
    const queue: QueueTrace = { stage, points: [] };
    this.trace.queues.push(queue);
    return queue;
  }
}
