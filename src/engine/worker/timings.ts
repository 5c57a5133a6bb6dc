/** How many messages of each stage a worker has processed, and how long one took on average. */
export class Timings {
  readonly #byStage = new Map<string, { count: number; meanMs: number }>();

  add(stage: string, durationMs: number): void {
    const timing = this.#byStage.get(stage) ?? { count: 0, meanMs: 0 };
    timing.count++;
    timing.meanMs += (durationMs - timing.meanMs) / timing.count;
    this.#byStage.set(stage, timing);
  }

  toJSON(): Record<string, { count: number; meanMs: number }> {
    return Object.fromEntries(this.#byStage);
  }
}
