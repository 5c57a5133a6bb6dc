import type { Clock } from '../../engine/time/clock.ts';

/** So many results make a message. Half of what is usually in flight: the other half keeps the relays busy meanwhile. */
const usualBatch = 50;
/** One mail that a relay keeps waiting must not hold up the results of others for longer. */
const longestWaitMs = 10;

/**
 * Gathers results that go into one message: a message costs brokers, the recorder and the database as much as several mails.
 * A batch waits for the mails that are under way, but not for long; without any it leaves at once.
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

  /** So many mails are being sent. */
  begin(mails: number): void {
    this.#underWay += mails;
  }

  /** So many mails are no longer being sent. Resolves when their results are in their queue. */
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
