/** Tracks work in progress, so that a caller can wait until none is left. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();

  /** Returns the same promise: its errors go to the caller alone. */
  add<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => {},
      () => {},
    );
    this.#work.add(ended);
    void ended.then(() => this.#work.delete(ended));
    return work;
  }

  /** Resolves when all work now in progress has ended, successfully or not. */
  async ended(): Promise<void> {
    await Promise.all(this.#work);
  }
}
