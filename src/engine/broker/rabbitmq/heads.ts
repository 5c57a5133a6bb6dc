import type { Channel } from 'rabbitmq-client';
import type { Clock } from '../../time/clock.ts';
import { giveBack, takeFirst } from './look.ts';
import { fromIncoming } from './message.ts';

interface Head {
  ready: number;
  publishedAt: number;
  until: number;
}

/** So long a message that came from a queue says how old the one behind it is. */
const receivedMs = 1000;

/**
 * When the first message of each queue was published. To find out, one must take the message and give it back, and the
 * server counts that. So a look stays valid for a tenth of the message's age, unless the queue gets shorter. While we
 * consume the queue, its first message is about as old as the one that came last, and nobody has to look.
 */
export class Heads {
  readonly #clock: Clock;
  readonly #heads = new Map<string, Head>();
  readonly #received = new Map<string, { publishedAt: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message came from the queue for the first time. */
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
    const known = this.#heads.get(queue);
    if (known && now < known.until && ready >= known.ready) return known.publishedAt;
    const taken = await takeFirst(channel, queue, 1);
    await giveBack(channel, queue, taken, this.#clock);
    const [first] = taken;
    if (!first) return null;
    const { publishedAt } = fromIncoming(first, false, now);
    this.#heads.set(queue, { ready, publishedAt, until: now + Math.max(1000, (now - publishedAt) / 10) });
    return publishedAt;
  }
}
