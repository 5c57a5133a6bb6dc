/** One at a time, first come, first served. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. The returned function ends the turn. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const release = await this.take();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
