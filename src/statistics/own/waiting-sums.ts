import type { OwnEvent } from './translate-event.ts';

/** Half hours of every time zone begin at a quarter of an hour in UTC. */
const quarterMs = 15 * 60_000;

/**
 * Events of Pismak itself that are not stored yet. Those of one thing in one quarter of an hour are added up at once, so a busy hour
 * costs a few lines.
 */
export class WaitingSums {
  readonly #most: number;
  readonly #sums = new Map<string, OwnEvent>();
  /** How many events found no place. */
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

  /** Takes the oldest ones out. */
  take(most: number): OwnEvent[] {
    const taken = [...this.#sums].slice(0, most);
    for (const [key] of taken) this.#sums.delete(key);
    return taken.map(([, event]) => event);
  }
}
