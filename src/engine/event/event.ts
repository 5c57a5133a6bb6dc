/** Something worth counting. Statistics will read events; until then a bounded buffer keeps the latest. */
export interface Event {
  kind: string;
  /** What it is about: a worker, a queue, a request, a document. */
  entity: string;
  user?: string;
  split?: string;
  at: number;
  dimensions?: Readonly<Record<string, string | number>>;
}

export interface Events {
  emit(event: Event): void;
  /** The latest events, oldest first. */
  recent(filter?: { kind?: string; limit?: number }): Event[];
  /** Calls the listener with every event from now on. A listener that throws does not affect the others. */
  subscribe(listener: (event: Event) => void): () => void;
  /** How many events the buffer has dropped. */
  readonly dropped: number;
}

export function createEvents(capacity = 10_000): Events {
  const ring: Event[] = [];
  const listeners = new Set<(event: Event) => void>();
  let next = 0;
  let dropped = 0;
  return {
    emit(event) {
      if (ring.length < capacity) ring.push(event);
      else {
        ring[next] = event;
        dropped++;
      }
      next = (next + 1) % capacity;
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          // A broken listener must not stop the work.
        }
      }
    },
    recent({ kind, limit = capacity } = {}) {
      const ordered = ring.length < capacity ? ring : [...ring.slice(next), ...ring.slice(0, next)];
      const wanted = kind === undefined ? ordered : ordered.filter((event) => event.kind === kind);
      return wanted.slice(-limit);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get dropped() {
      return dropped;
    },
  };
}
