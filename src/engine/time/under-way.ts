/** Work that has begun and not ended, for those who must wait until none is left. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();

  /** Returns the same work: what it throws is for the caller alone. */
  add<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => {},
      () => {},
    );
    this.#work.add(ended);
    void ended.then(() => this.#work.delete(ended));
    return work;
  }

  /** Resolves when everything has ended that is under way now, well or not. */
  async ended(): Promise<void> {
    await Promise.all(this.#work);
  }
}
