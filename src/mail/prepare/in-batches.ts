/**
 * Gathers calls that arrive while the previous batch runs, so that many callers share one query. The first caller never waits
 * for others.
 */
export class InBatches<Question, Answer> {
  readonly #work: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  #waiting: { question: Question; resolve(answer: Answer): void; reject(error: unknown): void }[] = [];
  #isBusy = false;

  /** `work` resolves to one answer for each question, in the same order. */
  constructor(most: number, work: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#most = most;
    this.#work = work;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      if (!this.#isBusy) {
        this.#isBusy = true;
        // Calls of the same turn of the event loop share a batch.
        setImmediate(() => this.#next());
      }
    });
  }

  async #next(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const answers = await this.#work(batch.map(({ question }) => question));
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isBusy = false;
  }
}
