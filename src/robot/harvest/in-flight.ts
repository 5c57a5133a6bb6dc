/** Lets a number of requests run at once; the rest wait in the order they came. */
export class InFlight {
  #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#fill();
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#running--;
      this.#fill();
    }
  }

  /** Those that may begin count from now on: until they wake, nobody else takes their place. */
  #fill(): void {
    while (this.#running < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running++;
      next();
    }
  }
}

/**
 * How many requests a harvester should have in flight: more while some wait and the processor has time, fewer when it has
 * none. `utilization` is the share of the last second that the event loop was busy.
 */
export function adaptLimit(
  limit: number,
  { utilization, waiting }: { utilization: number; waiting: number },
): number {
  if (utilization > 0.95) return Math.max(8, Math.floor(limit * 0.8));
  if (waiting > 0 && utilization < 0.8) return Math.min(1_000, limit + 8);
  return limit;
}
