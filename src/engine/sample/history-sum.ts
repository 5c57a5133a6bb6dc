import type { Measured } from './measured.ts';

/** Mean, and the highest value if it is another. */
type Level = number | [mean: number, highest: number];

/** What is kept of a minute or an hour. A series that is missing was 0 all the time. */
export interface HistoryValues {
  levels: Record<string, Level>;
  counts: Record<string, number>;
  owners: Record<string, string>;
}

/** How many looks the values are made of: the weight of their means. */
export interface HistoryPart {
  samples: number;
  values: HistoryValues;
}

/** A row has room for this many series; those that come first stay. */
const mostSeries = 1_000;

/** Adds up what was measured in a minute, and minutes to hours. */
export class HistorySum {
  samples = 0;
  readonly #levels = new Map<string, { sum: number; highest: number }>();
  readonly #counts = new Map<string, number>();
  readonly #owners = new Map<string, string>();

  /** One look at all levels. */
  addLook(measured: readonly Measured[]): void {
    this.samples++;
    this.addCounts(measured);
    for (const { name, kind, value, owner } of measured)
      if (kind === 'level') this.#addLevel(name, { sum: value, highest: value }, owner);
  }

  addCounts(measured: readonly Measured[]): void {
    for (const { name, kind, value, owner } of measured)
      if (kind === 'count') this.#addCount(name, value, owner);
  }

  add({ samples, values }: HistoryPart): void {
    this.samples += samples;
    const { levels, counts, owners } = values;
    for (const [name, level] of Object.entries(levels)) {
      const [mean, highest] = typeof level === 'number' ? [level, level] : level;
      this.#addLevel(name, { sum: mean * samples, highest }, owners[name]);
    }
    for (const [name, count] of Object.entries(counts)) this.#addCount(name, count, owners[name]);
  }

  get part(): HistoryPart {
    const levels = [...this.#levels].map(([name, { sum, highest }]): [string, Level] => {
      const mean = Math.round((100 * sum) / Math.max(1, this.samples)) / 100;
      return [name, mean === highest ? mean : [mean, highest]];
    });
    return {
      samples: this.samples,
      values: {
        levels: Object.fromEntries(levels),
        counts: Object.fromEntries(this.#counts),
        owners: Object.fromEntries(this.#owners),
      },
    };
  }

  #addLevel(
    name: string,
    { sum, highest }: { sum: number; highest: number },
    owner: string | undefined,
  ): void {
    const known = this.#levels.get(name);
    if (known) {
      known.sum += sum;
      known.highest = Math.max(known.highest, highest);
    } else if (this.#hasRoom(name, owner)) this.#levels.set(name, { sum, highest });
  }

  #addCount(name: string, count: number, owner: string | undefined): void {
    const known = this.#counts.get(name);
    if (known !== undefined || this.#hasRoom(name, owner)) this.#counts.set(name, (known ?? 0) + count);
  }

  #hasRoom(name: string, owner: string | undefined): boolean {
    if (this.#levels.size + this.#counts.size >= mostSeries) return false;
    if (owner !== undefined) this.#owners.set(name, owner);
    return true;
  }
}
