import type { Events } from '../../engine/event/event.ts';
import type { Clock } from '../../engine/time/clock.ts';

/** How many requests each stage has finished within the last window. */
export class Rates {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #times = new Map<string, number[]>();
  readonly close: () => void;

  constructor(events: Events, clock: Clock, windowMs = 10_000) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.close = events.subscribe((event) => {
      if (event.kind !== 'request.processed') return;
      const times = this.#times.get(event.entity) ?? [];
      times.push(event.at);
      this.#times.set(event.entity, times);
      // Old entries are dropped in batches, to keep the cost per request low on fast stages.
      if (times.length > 10_000) this.#forget(times);
    });
  }

  perSecond(stage: string): number {
    const times = this.#times.get(stage);
    if (!times) return 0;
    this.#forget(times);
    return times.length / (this.#windowMs / 1000);
  }

  #forget(times: number[]): void {
    const since = this.#clock.now() - this.#windowMs;
    const first = times.findIndex((time) => time > since);
    times.splice(0, first < 0 ? times.length : first);
  }
}
