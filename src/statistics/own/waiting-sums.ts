import type { OwnEvent } from './translate-event.ts';

/** Half hours of every time zone begin at a quarter of an hour in UTC. */
const quarterMs = 15 * 60_000;

/**
 * Pismak's own events that are not stored yet. Events about one thing in the same quarter of an hour are added up, so a busy hour
 * costs a few rows.
 */
export class WaitingSums {
  readonly #most: number;
  readonly #sums = new Map<string, OwnEvent>();
  /** Events dropped because it was full. */
  dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#sums.size;
  }

  add(event: OwnEvent): void {
    const { kind, entity, user, split, at } = event;
    const key = JSON.stringify([kind, entity, user, split, Math.floor(at / quarterMs)]);
    const known = this.#sums.get(key);
    if (known) {
      for (const [name, value] of Object.entries(event.dimensions))
        known.dimensions[name] = (known.dimensions[name] ?? 0) + value;
    } else if (this.#sums.size < this.#most)
      this.#sums.set(key, { ...event, dimensions: { ...event.dimensions } });
    else this.dropped++;
  }

  /** Removes and returns the oldest. */
  take(most: number): OwnEvent[] {
    const taken = [...this.#sums].slice(0, most);
    for (const [key] of taken) this.#sums.delete(key);
    return taken.map(([, event]) => event);
  }
}
