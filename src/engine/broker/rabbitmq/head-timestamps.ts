import type { Channel } from 'rabbitmq-client';
import type { Clock } from '../../time/clock.ts';
import { getFirst, requeue } from './get-and-requeue.ts';
import { fromIncoming } from './message.ts';

interface HeadTimestamp {
  ready: number;
  publishedAt: number;
  until: number;
}

/** How long a delivered message tells the age of the one behind it. */
const receivedMs = 1000;

/**
 * When the message at the head of each queue was published. To find out, we must get and requeue it, and the server counts
 * that as a delivery. So a known time stays valid for a tenth of the message's age, unless the queue gets shorter. While we
 * consume the queue, its first message is about as old as the one delivered last, and we need not get it.
 */
export class HeadTimestamps {
  readonly #clock: Clock;
  readonly #headTimestamps = new Map<string, HeadTimestamp>();
  readonly #received = new Map<string, { publishedAt: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The queue delivered a message for the first time. */
  received(queue: string, publishedAt: number, at: number): void {
    const last = this.#received.get(queue);
    if (last) {
      last.publishedAt = publishedAt;
      last.at = at;
    } else this.#received.set(queue, { publishedAt, at });
  }

  async publishedAt(channel: Channel, queue: string, ready: number): Promise<number | null> {
    if (ready === 0) return null;
    const now = this.#clock.now();
    const last = this.#received.get(queue);
    if (last && now - last.at < receivedMs && now >= last.at) return last.publishedAt;
    const known = this.#headTimestamps.get(queue);
    if (known && now < known.until && ready >= known.ready) return known.publishedAt;
    const taken = await getFirst(channel, queue, 1);
    await requeue(channel, queue, taken, this.#clock);
    const [first] = taken;
    if (!first) return null;
    const { publishedAt } = fromIncoming(first, false, now);
    this.#headTimestamps.set(queue, {
      ready,
      publishedAt,
      until: now + Math.max(1000, (now - publishedAt) / 10),
    });
    return publishedAt;
  }
}
