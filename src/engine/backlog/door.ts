import { type Broker, queueLength } from '../broker/broker.ts';
import type { Database } from '../database/database.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { BacklogItem } from './backlog.ts';
import { isAwaited } from './backlog-queries.ts';
import { ShortQueues } from './short-queues.ts';

/** A queue with fewer messages takes items directly. */
const few = 4;
const freshMs = 100;

/** How many items a queue still takes directly, by a recent count. */
interface FreePlaces {
  left: number;
  freshUntil: number;
}

/**
 * Decides whether an item may go straight into its queue: when nothing waits before it and the queues on its way are short. An
 * idle system then starts it at once, whichever process leads the backlog.
 */
export class Door {
  readonly #broker: Broker;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #short: ShortQueues;
  readonly #places = new Map<string, Promise<FreePlaces>>();

  constructor(parts: { broker: Broker; database: Database; clock: Clock }) {
    this.#broker = parts.broker;
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#short = new ShortQueues(parts);
  }

  /** Throws `queue-unknown` if there is no such queue, and `queue-full` if the queue's limit of waiting messages is reached. */
  async isOpen({ queue, route = [], message: { lane = 'normal' } }: BacklogItem): Promise<boolean> {
    const places = await this.#placesOf(queue, lane);
    if (places.left <= 0) return false;
    if (await isAwaited(this.#database.query, queue, lane)) return false;
    if (!(await this.#short.isOpen(route.join()))) return false;
    return places.left-- > 0;
  }

  #placesOf(queue: string, lane: 'high' | 'normal'): Promise<FreePlaces> {
    const key = `${lane} ${queue}`;
    const before = this.#places.get(key) ?? Promise.resolve({ left: 0, freshUntil: 0 });
    const places = before
      .catch(() => ({ left: 0, freshUntil: 0 }))
      .then((known) => (this.#clock.now() < known.freshUntil ? known : this.#count(queue, lane)));
    this.#places.set(key, places);
    return places;
  }

  async #count(queue: string, lane: 'high' | 'normal'): Promise<FreePlaces> {
    const closed = { left: 0, freshUntil: this.#clock.now() + freshMs };
    try {
      const status = await this.#broker.status(queue);
      const { ready, delayed, maxLength, paused } = status;
      if (maxLength !== null) {
        const waiting = queueLength(status) + delayed + (await this.#waiting(queue, maxLength));
        if (waiting >= maxLength)
          throw new PismakError(
            'queue-full',
            `Queue ${queue} is full (${maxLength} messages). Try again later.`,
          );
        // Count again next time: the limit must hold.
        return { left: paused ? 0 : 1, freshUntil: 0 };
      }
      if (paused) return closed;
      return { ...closed, left: few - (lane === 'high' ? ready.high : queueLength(status)) };
    } catch (error) {
      // The broker is unreachable, and the item can wait in the database.
      if (hasCode(error, 'unavailable')) return closed;
      throw error;
    }
  }

  /** How many items wait in the backlog for a queue, counted up to its limit. */
  async #waiting(queue: string, most: number): Promise<number> {
    const some = await this.#database.query
      .selectFrom('backlog')
      .select('id')
      .where('queue', '=', queue)
      .limit(most)
      .execute();
    return some.length;
  }
}
