import type { QueueStatus } from '../broker/broker.ts';
import type { TraceEvent } from '../trace/trace-period.ts';

/** Minimum time between two reports of urgent changes. */
const leastMs = 2000;

/** Reports changed queue lengths. */
export class QueueLengths {
  readonly #told = new Map<string, TraceEvent>();

  /** With `urgent`, only queues that filled, emptied or changed by half: a picture must not show those late. */
  look(queues: readonly QueueStatus[], at: number, { urgent = false } = {}): TraceEvent[] {
    const here = new Set(queues.map(({ name }) => name));
    const gone = [...this.#told.keys()].filter((name) => !here.has(name));
    for (const name of gone) this.#told.delete(name);
    const changed = queues
      .map((queue) => eventOf(queue, at))
      .filter((event) => {
        const told = this.#told.get(event.entity);
        return !told || (urgent ? isUrgent(told, event) : !isSame(told, event));
      });
    for (const event of changed) this.#told.set(event.entity, event);
    return [...changed, ...gone.map((name) => eventOf({ ...empty, name }, at))];
  }

  /** The current length of every queue. */
  all(at: number): TraceEvent[] {
    return [...this.#told.values()].map((event) => ({ ...event, at }));
  }
}

type Lengths = Pick<QueueStatus, 'name' | 'ready' | 'delayed' | 'inFlight' | 'dead'>;

const empty = { ready: { high: 0, normal: 0 }, delayed: 0, inFlight: 0, dead: 0 };

function eventOf(queue: Lengths, at: number): TraceEvent {
  const { name, ready, delayed, inFlight, dead } = queue;
  return {
    kind: 'queue.length',
    entity: name,
    at,
    dimensions: { ready: ready.high + ready.normal, delayed, inFlight, dead },
  };
}

function isSame(a: TraceEvent, b: TraceEvent): boolean {
  return Object.keys(b.dimensions).every((name) => a.dimensions[name] === b.dimensions[name]);
}

function isUrgent(told: TraceEvent, event: TraceEvent): boolean {
  const [before, now] = [Number(told.dimensions.ready), Number(event.dimensions.ready)];
  return event.at - told.at >= leastMs && Math.abs(now - before) > Math.max(before, now) / 2;
}
