import type { Clock } from '../../engine/time/clock.ts';

/** Results per message. Half of the mails usually in flight: the other half keeps the relays busy. */
const usualBatch = 50;
/** The longest that a slow mail may delay the results of others. */
const longestWaitMs = 10;

/**
 * Gathers results into messages: a message costs brokers, the recorder and the database as much as several mails. A batch waits
 * briefly for the mails under way; if there are none, it is published at once.
 */
export class ResultBatches<Result> {
  readonly #clock: Clock;
  readonly #publish: (results: readonly Result[]) => Promise<void>;
  #underWay = 0;
  #results: Result[] = [];
  #batch: PromiseWithResolvers<void> | undefined;
  #cancelTimer = () => {};

  constructor(clock: Clock, publish: (results: readonly Result[]) => Promise<void>) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** Call before sending this many mails. */
  begin(mails: number): void {
    this.#underWay += mails;
  }

  /** Call after sending this many mails. Resolves when their results are in the queue. */
  end(mails: number, results: readonly Result[]): Promise<void> {
    this.#underWay -= mails;
    if (results.length > 0 && !this.#batch) {
      this.#batch = Promise.withResolvers();
      this.#cancelTimer = this.#clock.after(longestWaitMs, () => this.#leave());
    }
    this.#results.push(...results);
    const stored = results.length > 0 ? this.#batch?.promise : undefined;
    if (this.#results.length >= usualBatch || this.#underWay === 0) this.#leave();
    return stored ?? Promise.resolve();
  }

  #leave(): void {
    const batch = this.#batch;
    if (!batch) return;
    this.#cancelTimer();
    const results = this.#results;
    this.#batch = undefined;
    this.#results = [];
    this.#publish(results).then(batch.resolve, batch.reject);
  }
}
