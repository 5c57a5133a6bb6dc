import type { TraceEvent } from '../trace/trace-period.ts';
import type { WorkerState, WorkerView } from '../worker/worker-record.ts';

/** A shorter pause between two messages is not shown as idle. */
const shortestRestMs = 5000;
/** Longer with many workers, so that all together make at most twenty events a second. */
const restMsPerWorker = 100;

interface Doing {
  state: WorkerState;
  stage: string;
  /** Whether it stopped cleanly or was forgotten: there is nothing more to report. */
  left: boolean;
}

interface Known {
  told: Doing;
  /** When it was last seen at work. */
  activeAt: number;
  processed: number;
  switchFrom: number | undefined;
}

/** Reports what workers do by sampling their states. */
export class WorkerStates {
  readonly #known = new Map<string, Known>();
  #seenAt = Number.NEGATIVE_INFINITY;

  /** The changes since the last sample. None is dated before `notBefore`. */
  look(workers: readonly WorkerView[], at: number, notBefore: number): TraceEvent[] {
    const events: TraceEvent[] = [];
    const restMs = Math.max(shortestRestMs, restMsPerWorker * workers.length);
    // A worker's clock may differ from ours, but the change happened after our last sample.
    const within = (time: number) => Math.min(at, Math.max(time, this.#seenAt, notBefore));
    for (const view of workers) {
      const { id } = view.record;
      const now = doingOf(view);
      const known = this.#known.get(id);
      const processed = processedBy(view);
      const switched = view.presence?.lastSwitch;
      const active = now.state === 'PROCESSING' || (known !== undefined && processed !== known.processed);
      const activeAt = active ? at : (known?.activeAt ?? at);
      const next: Known = { told: known?.told ?? now, activeAt, processed, switchFrom: switched?.from };
      this.#known.set(id, next);
      const tell = (doing: Doing, when: number) => {
        next.told = doing;
        events.push(eventOf(id, doing, when));
      };

      if (!known) {
        if (!now.left) tell(now, at);
        continue;
      }
      if (switched && switched.from !== known.switchFrom) {
        const stage = (switched.to === null ? view.record.stage : view.presence?.stage) ?? '';
        tell({ state: 'RECONFIGURING', stage, left: false }, within(switched.from));
      }
      const { told } = next;
      if (mayFlip(told) && mayFlip(now) && told.stage === now.stage) {
        if (told.state === 'IDLE' && active) tell({ ...now, state: 'PROCESSING' }, at);
        else if (told.state === 'PROCESSING' && at - activeAt >= restMs)
          tell({ ...now, state: 'IDLE' }, Math.max(activeAt, notBefore));
      } else if (told.state !== now.state || told.stage !== now.stage || told.left !== now.left) {
        const since = told.state === 'RECONFIGURING' ? switched?.to : now.left ? view.record.leftAt : null;
        tell(now, within(since ?? at));
      }
    }
    this.#seenAt = at;
    return [...events, ...this.#tellForgotten(workers, at)];
  }

  /** The current state of every worker. */
  all(at: number): TraceEvent[] {
    return [...this.#known]
      .filter(([, { told }]) => !told.left)
      .map(([id, { told }]) => eventOf(id, told, at));
  }

  #tellForgotten(workers: readonly WorkerView[], at: number): TraceEvent[] {
    const here = new Set(workers.map(({ record }) => record.id));
    const gone = [...this.#known].filter(([id]) => !here.has(id));
    for (const [id] of gone) this.#known.delete(id);
    return gone
      .filter(([, { told }]) => !told.left)
      .map(([id]) => eventOf(id, { state: 'DEAD', stage: '', left: true }, at));
  }
}

function doingOf({ record, presence, state }: WorkerView): Doing {
  if (!presence) return { state, stage: record.stage ?? '', left: record.leftAt !== null };
  // A worker reports the switch while it still finishes its last message; until then it serves its old stage.
  const staying = state === 'RECONFIGURING' && presence.stage !== null;
  const shown = staying ? (presence.inFlight > 0 ? 'PROCESSING' : 'IDLE') : state;
  const isOnItsWay = shown === 'RECONFIGURING' || shown === 'FAILED';
  return { state: shown, stage: (isOnItsWay ? record.stage : presence.stage) ?? '', left: false };
}

function mayFlip({ state }: Doing): boolean {
  return state === 'PROCESSING' || state === 'IDLE';
}

function processedBy({ presence }: WorkerView): number {
  return Object.values(presence?.timings ?? {}).reduce((sum, { count }) => sum + count, 0);
}

function eventOf(id: string, { state, stage, left }: Doing, at: number): TraceEvent {
  return { kind: 'worker.state', entity: id, at, dimensions: { state, stage, ...(left ? { left: 1 } : {}) } };
}
