import type { Granularity } from '../calendar/days.ts';
import { formatDay, unitsWithin } from '../calendar/days.ts';
import { zoneDays } from '../calendar/zone-days.ts';

/** An event as users send it. */
export interface PlainEvent {
  kind: string;
  entity: number | string;
  user: number | string;
  split: string;
  at: string;
  [dimension: string]: number | string;
}

export type Sums = Record<string, number>;

const hourMs = 3_600_000;

/** All events in a list, and every question answered by adding them up one by one. Knows nothing of the real thing. */
export class BruteForce {
  readonly events: PlainEvent[] = [];
  readonly #zone: ReturnType<typeof zoneDays>;
  readonly #dimensions: readonly string[];

  constructor(timeZone: string, dimensions: readonly string[]) {
    this.#zone = zoneDays(timeZone);
    this.#dimensions = dimensions;
  }

  dayOf({ at }: PlainEvent): number {
    return this.#zone.dayAt(Date.parse(at));
  }

  /** The sums of each entity of a user over some days. */
  byEntity(
    kind: string,
    user: string,
    from: number,
    to: number,
    splits: readonly string[],
  ): Map<string, Sums> {
    const found = new Map<string, Sums>();
    for (const event of this.events) {
      const day = this.dayOf(event);
      if (event.kind !== kind || String(event.user) !== user || !splits.includes(event.split)) continue;
      // An entity with events elsewhere is there with zeros.
      const sums = found.get(String(event.entity)) ?? this.#zeros();
      found.set(String(event.entity), sums);
      if (day < from || day > to) continue;
      for (const name of this.#dimensions) sums[name] = (sums[name] ?? 0) + Number(event[name] ?? 0);
    }
    return found;
  }

  series(
    question: { kind: string; user: string; from: number; to: number; splits: readonly string[] },
    granularity: Exclude<Granularity, 'hour' | 'none'>,
    keeps: (entity: string) => boolean,
  ): { id: string; start: string; end: string; sums: Sums }[] {
    const { kind, user, splits } = question;
    return unitsWithin(granularity, question).map(({ id, from, to }) => {
      const sums = this.#zeros();
      for (const [entity, ofEntity] of this.byEntity(kind, user, from, to, splits))
        if (keeps(entity))
          for (const name of this.#dimensions) sums[name] = (sums[name] ?? 0) + (ofEntity[name] ?? 0);
      return { id, start: formatDay(from), end: formatDay(to), sums };
    });
  }

  /** The hours of some days, each counted from the beginning of its day. */
  hours(
    question: { kind: string; user: string; from: number; to: number; splits: readonly string[] },
    keeps: (entity: string) => boolean,
  ): { id: string; sums: Sums }[] {
    const { kind, user, from, to, splits } = question;
    const points: { id: string; sums: Sums }[] = [];
    for (let day = from; day <= to; day++) {
      const start = this.#zone.start(day);
      const hours = Array.from({ length: (this.#zone.start(day + 1) - start) / hourMs }, () => this.#zeros());
      for (const event of this.events) {
        const sums = hours[Math.floor((Date.parse(event.at) - start) / hourMs)];
        const asked = event.kind === kind && String(event.user) === user && splits.includes(event.split);
        if (!sums || !asked || !keeps(String(event.entity))) continue;
        for (const name of this.#dimensions) sums[name] = (sums[name] ?? 0) + Number(event[name] ?? 0);
      }
      const date = formatDay(day).replaceAll('-', '');
      points.push(...hours.map((sums, hour) => ({ id: `${date}${String(hour).padStart(2, '0')}`, sums })));
    }
    return points;
  }

  #zeros(): Sums {
    return Object.fromEntries(this.#dimensions.map((name) => [name, 0]));
  }
}
