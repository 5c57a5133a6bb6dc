export interface Timing {
  count: number;
  meanMs: number;
  /** How many of them went on to which stage; the others were finished. */
  next: Record<string, number>;
}

/** A request with invented stage names must not make a heartbeat large. */
const mostNext = 50;

/** How many messages of each stage a worker has processed, their average time, and where they went next. */
export class Timings {
  readonly #byStage = new Map<string, Timing>();

  add(stage: string, durationMs: number, next?: string): void {
    const timing = this.#byStage.get(stage) ?? { count: 0, meanMs: 0, next: {} };
    timing.count++;
    timing.meanMs += (durationMs - timing.meanMs) / timing.count;
    if (next !== undefined && (next in timing.next || Object.keys(timing.next).length < mostNext)) {
      timing.next[next] = (timing.next[next] ?? 0) + 1;
    }
    this.#byStage.set(stage, timing);
  }

  toJSON(): Record<string, Timing> {
    return Object.fromEntries(this.#byStage);
  }
}
