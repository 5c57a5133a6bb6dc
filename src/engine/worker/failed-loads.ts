import type { Clock } from '../time/clock.ts';

/** How long a worker avoids a stage it failed to load, unless the stage changes. */
const unableMs = 60_000;

/** The stages that a worker failed to load: it avoids them for a minute, and counts the failures until it loads them or they change. */
export class FailedLoads {
  readonly #clock: Clock;
  readonly #stages = new Map<string, { version: number; reason: string; until: number; times: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Without a reason, the stage was loaded. */
  note({ name, version }: { name: string; version: number }, reason: string | undefined): void {
    const before = this.#stages.get(name);
    this.#stages.delete(name);
    if (reason === undefined) return;
    const times = before?.version === version ? before.times + 1 : 1;
    this.#stages.set(name, { version, reason, until: this.#clock.now() + unableMs, times });
  }

  /** The stages to avoid and why, given the current versions of all stages. */
  unable(versions: ReadonlyMap<string, number>): Record<string, string> {
    const now = this.#clock.now();
    return Object.fromEntries(
      this.#present(versions).flatMap(([name, { reason, until }]) => (until > now ? [[name, reason]] : [])),
    );
  }

  /** How often each stage failed to load since it last loaded. */
  counts(versions: ReadonlyMap<string, number>): Record<string, number> {
    return Object.fromEntries(this.#present(versions).map(([name, { times }]) => [name, times]));
  }

  #present(versions: ReadonlyMap<string, number>) {
    return [...this.#stages].filter(([name, { version }]) => versions.get(name) === version);
  }
}
