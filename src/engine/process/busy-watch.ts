/** Longest time, in milliseconds of processor time, that work may keep the main thread without a break. */
export const longestPieceMs = 100;

/** Work that kept the main thread too long at once. */
export interface BusyWork {
  /** The operation; several with ` or ` between them if it is not known which. */
  work: string;
  /** The longest time at once, in milliseconds of processor time. */
  mostMs: number;
  count: number;
  lastAt: number;
}

/** How often the thread is looked at. Time that is not measured exactly is known to this precision. */
const tickMs = 20;
const mostKept = 100;
const mostSuspects = 3;

/**
 * Watches how long the main thread works without a break, in processor time: while it does, nobody else is served. The first
 * synchronous part of an operation is measured exactly; for what follows, a timer sees that it is late, and the operations under
 * way are suspected. Costs a few microseconds for each call, and one for each tick.
 */
export class BusyWatch {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #cpuMs: () => number;
  readonly #underWay = new Map<string, number>();
  /** Those that have ended since the last mark. */
  readonly #ended = new Set<string>();
  readonly #found = new Map<string, BusyWork>();
  #longest = { work: '', ms: 0 };
  /** Processor time when the thread last had a break, as far as we know. */
  #mark: number;
  #isMeasuring = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    options: {
      limitMs?: number;
      now?: () => number;
      /** Processor time of this thread. */
      cpuMs?: () => number;
    } = {},
  ) {
    this.#limitMs = options.limitMs ?? longestPieceMs;
    this.#now = options.now ?? Date.now;
    this.#cpuMs = options.cpuMs ?? threadCpuMs;
    this.#mark = this.#cpuMs();
  }

  /** Looks at the thread from now on. */
  start(): void {
    this.#timer ??= setInterval(() => this.look(), tickMs).unref();
    this.#mark = this.#cpuMs();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Runs an operation, which is a suspect until it ends. */
  async during<Result>(work: string, run: () => Promise<Result>): Promise<Result> {
    this.#underWay.set(work, (this.#underWay.get(work) ?? 0) + 1);
    try {
      return await this.sync(work, run);
    } finally {
      const left = (this.#underWay.get(work) ?? 1) - 1;
      if (left > 0) this.#underWay.set(work, left);
      else this.#underWay.delete(work);
      if (this.#ended.size < mostSuspects) this.#ended.add(work);
    }
  }

  /** Runs a synchronous piece of work and measures it. Within another one it counts as part of that. */
  sync<Result>(work: string, run: () => Result): Result {
    if (this.#isMeasuring) return run();
    this.look();
    this.#isMeasuring = true;
    try {
      return run();
    } finally {
      this.#isMeasuring = false;
      const now = this.#cpuMs();
      this.#judge([work], now - this.#mark);
      this.#mark = now;
    }
  }

  /** Judges the time since the last mark, and marks this moment. */
  look(): void {
    const now = this.#cpuMs();
    // Until the timer was due, the thread may have had breaks.
    const ms = now - this.#mark - tickMs;
    this.#mark = now;
    if (ms > Math.min(this.#longest.ms, this.#limitMs))
      this.#judge([...this.#underWay.keys(), ...this.#ended], ms);
    this.#ended.clear();
  }

  /** The longest piece since the last call. */
  takeLongest(): { work: string; ms: number } {
    const longest = this.#longest;
    this.#longest = { work: '', ms: 0 };
    return longest;
  }

  /** The work that kept the thread too long since then. */
  since(at: number): BusyWork[] {
    return [...this.#found.values()].filter(({ lastAt }) => lastAt >= at);
  }

  #judge(suspects: readonly string[], ms: number): void {
    if (ms <= this.#longest.ms && ms <= this.#limitMs) return;
    const names = [...new Set(suspects)].slice(0, mostSuspects);
    const work = names.length === 0 ? 'a service' : names.join(' or ');
    if (ms > this.#longest.ms) this.#longest = { work, ms };
    if (ms <= this.#limitMs) return;
    const before = this.#found.get(work);
    if (!before && this.#found.size >= mostKept)
      this.#found.delete(this.#found.keys().next().value as string);
    this.#found.set(work, {
      work,
      mostMs: Math.max(ms, before?.mostMs ?? 0),
      count: (before?.count ?? 0) + 1,
      lastAt: this.#now(),
    });
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
