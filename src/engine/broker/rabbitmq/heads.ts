import type { Channel } from 'rabbitmq-client';
import type { Clock } from '../../time/clock.ts';
import { giveBack, takeFirst } from './look.ts';
import { fromIncoming } from './message.ts';

interface Head {
  ready: number;
  publishedAt: number;
  until: number;
}

/**
 * When the first message of each queue was published. To find out, one must take the message and give it back, and the
 * server counts that. So a look stays valid for a tenth of the message's age, unless the queue gets shorter.
 */
export class Heads {
  readonly #clock: Clock;
  readonly #heads = new Map<string, Head>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async publishedAt(channel: Channel, queue: string, ready: number): Promise<number | null> {
    if (ready === 0) return null;
    const now = this.#clock.now();
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
