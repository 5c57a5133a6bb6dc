import { type Broker, queueLength } from '../broker/broker.ts';
import { hasCode } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';

const freshMs = 250;
const messagesPerSlot = 4;
/** Length allowed for a queue without workers: enough for the watchdog to see it, and for a worker that comes. */
const shortAnyway = 100;

export function isShortLength(length: number, slots: number): boolean {
  return length < Math.max(shortAnyway, messagesPerSlot * slots);
}

/** Knows which queues are short: work is released only while all later queues on its way are short, so that none of them piles up. */
export class ShortQueues {
  readonly #broker: Pick<Broker, 'status'>;
  readonly #clock: Clock;
  readonly #slots: (queue: string) => Promise<number>;
  readonly #known = new Map<string, { at: number; isShort: Promise<boolean> }>();

  constructor(parts: {
    broker: Pick<Broker, 'status'>;
    clock: Clock;
    slots?: (queue: string) => Promise<number>;
  }) {
    this.#broker = parts.broker;
    this.#clock = parts.clock;
    this.#slots = parts.slots ?? (async () => 0);
  }

  /** Whether every queue of a route (names separated by commas) is short. */
  async isOpen(route: string): Promise<boolean> {
    const queues = route === '' ? [] : route.split(',');
    return (await Promise.all(queues.map((queue) => this.#isShort(queue)))).every(Boolean);
  }

  #isShort(queue: string): Promise<boolean> {
    const at = this.#clock.now();
    const known = this.#known.get(queue);
    if (known && at - known.at < freshMs && at >= known.at) return known.isShort;
    const isShort = this.#look(queue);
    this.#known.set(queue, { at, isShort });
    return isShort;
  }

  async #look(queue: string): Promise<boolean> {
    try {
      const [status, slots] = await Promise.all([this.#broker.status(queue), this.#slots(queue)]);
      return isShortLength(queueLength(status), slots);
    } catch (error) {
      // The stage was deleted: the request goes on and fails there, with this reason in its log. Any other fault (a
      // broken queue, no answer) holds back only what goes through this queue.
      return hasCode(error, 'queue-unknown');
    }
  }
}
