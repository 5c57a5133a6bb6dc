/** Something worth counting. Statistics will read these; until then a bounded buffer keeps the latest. */
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
  /** The latest ones, oldest first. */
  recent(filter?: { kind?: string; limit?: number }): Event[];
  /** Called with every event from now on; a listener that throws harms nobody. */
  subscribe(listener: (event: Event) => void): () => void;
  /** How many were emitted and have been pushed out of the buffer. */
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
          // Whoever counts must not stop whoever works.
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
