import type { Channel } from 'rabbitmq-client';

/**
 * Acks that are answered. AMQP has no answer to an ack, but a channel works in order: the answer to any later command says
 * that the ack has reached the queue. All acks of one round trip share that command, and they are one ack command as far
 * as no older message is still in hand.
 */
export class Acks {
  readonly #channel: Channel;
  /** Tags of messages in hand, in order of arrival: always ascending. */
  readonly #inHand = new Set<number>();
  readonly #done = new Set<number>();
  #last = 0;
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** False if a message before it never arrived: that one must not be acked with its successors. */
  received(deliveryTag: number): boolean {
    const isNext = deliveryTag === this.#last + 1;
    this.#last = deliveryTag;
    this.#inHand.add(deliveryTag);
    return isNext;
  }

  /** Call this after telling the server, not before: an older message in hand keeps acks from covering it. */
  gaveBack(deliveryTag: number): void {
    this.#inHand.delete(deliveryTag);
  }

  ack(deliveryTag: number): Promise<void> {
    this.#done.add(deliveryTag);
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<void> {
    await this.#asked.catch(() => {});
    // Later acks need an answer of their own.
    this.#next = undefined;
    this.#send();
    const asked = this.#channel.exchangeDeclare({ exchange: 'amq.fanout', passive: true });
    this.#asked = asked;
    await asked;
  }

  #send(): void {
    let upTo: number | undefined;
    for (const tag of this.#inHand) {
      if (!this.#done.delete(tag)) break;
      this.#inHand.delete(tag);
      upTo = tag;
    }
    if (upTo !== undefined) this.#channel.basicAck({ deliveryTag: upTo, multiple: true });
    for (const deliveryTag of this.#done) {
      this.#inHand.delete(deliveryTag);
      this.#channel.basicAck({ deliveryTag });
    }
    this.#done.clear();
  }
}
