import { PismakError } from '../../engine/errors.ts';

export interface TurnLimits {
  /** So many run at once. */
  atOnce: number;
  /** So many of one key wait; more are refused. */
  waitingPerKey: number;
  waiting: number;
}

/**
 * Lets expensive work run a few at a time. Keys take turns, so that somebody who sends a thousand delays others by one each.
 * Work that would have to wait too long is refused at once.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  /** In the order in which keys have their turns. */
  readonly #queues = new Map<string, (() => void)[]>();
  #running = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(key);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(key: string): Promise<void> | undefined {
    if (this.#running < this.#limits.atOnce) {
      this.#running++;
      return undefined;
    }
    const queue = this.#queues.get(key) ?? [];
    if (queue.length >= this.#limits.waitingPerKey || this.#waiting >= this.#limits.waiting) {
      throw new PismakError(
        'unavailable',
        'too many passwords are being checked; try again in a few seconds',
        {
          details: { retryAfterSeconds: 5 },
        },
      );
    }
    this.#queues.set(key, queue);
    this.#waiting++;
    return new Promise((resolve) => queue.push(resolve));
  }

  #leave(): void {
    const [next] = this.#queues;
    if (!next) {
      this.#running--;
      return;
    }
    // The one that leaves hands its place on, so `running` stays as it is.
    const [key, queue] = next;
    const go = queue.shift();
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    this.#waiting--;
    go?.();
  }
}
