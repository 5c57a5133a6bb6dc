import type { Channel } from 'rabbitmq-client';
import { sleep } from '../../time/clock.ts';
import type { ForeignLane } from '../broker.ts';
import { fromIncoming, type Incoming, isForeign } from './message.ts';
import type { Shared } from './shared.ts';

/** Few: messages of other programs carry whole images. */
const prefetchCount = 16;
const againMs = 500;

/**
 * Sorts what other programs publish to the queue's own name into its lanes. They know nothing of lanes, and the server
 * can't let a message overtake others in a quorum queue.
 */
export class Inbox {
  readonly #queue: string;
  readonly #shared: Shared;
  readonly #foreignLane: ForeignLane;
  readonly #closing = new AbortController();
  readonly #looping: Promise<void>;

  constructor(queue: string, shared: Shared, foreignLane: ForeignLane = ({ lane }) => lane) {
    this.#queue = queue;
    this.#shared = shared;
    this.#foreignLane = foreignLane;
    this.#looping = this.#loop();
  }

  /** Unacked messages go back to the inbox. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looping;
  }

  get #isOpen(): boolean {
    const known = this.#shared.registry.find(this.#queue);
    // A broken queue may be another program's: take nothing from it.
    return known?.hasInbox === true && known.broken === null;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#closing;
    const { clock, connection } = this.#shared;
    while (!signal.aborted) {
      try {
        if (this.#isOpen) await connection.withChannel((channel) => this.#sort(channel), signal);
      } catch {
        // The connection was lost: the server keeps what was not acked, and we try again.
      }
      await sleep(clock, againMs, signal);
    }
  }

  async #sort(channel: Channel): Promise<void> {
    const { signal } = this.#closing;
    const ended = Promise.withResolvers<void>();
    channel.on('close', () => ended.resolve());
    const stop = () => ended.resolve();
    signal.addEventListener('abort', stop);
    await channel.basicQos({ prefetchCount });
    await channel.basicConsume({ queue: this.#queue }, (incoming) => {
      this.#move(incoming).then(
        () => channel.active && channel.basicAck({ deliveryTag: incoming.deliveryTag }),
        (error: unknown) => ended.reject(error),
      );
    });
    await ended.promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Acks only when the lane has the message: a crash in between duplicates it, and never loses it. */
  async #move(incoming: Incoming): Promise<void> {
    const message = fromIncoming(incoming, false, this.#shared.clock.now());
    const lane = isForeign(message) ? this.#foreignLane(message) : message.lane;
    await this.#shared.publishToLane(this.#queue, { ...message, lane });
  }
}
