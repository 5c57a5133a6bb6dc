import type { Channel } from 'rabbitmq-client';

/**
 * Acks whose arrival is known. AMQP does not answer an ack, but a channel works in order: the answer to any later command
 * says that the ack has reached the queue. All acks of one round trip share that command, and share one basic.ack (multiple)
 * as far as no older delivery is still unacked.
 */
export class Acks {
  readonly #channel: Channel;
  /** Delivery tags, in order of arrival: always ascending. */
  readonly #unacked = new Set<number>();
  readonly #toAck = new Set<number>();
  #last = 0;
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** False if the delivery before it never arrived: that one must not be acked with its successors. */
  received(deliveryTag: number): boolean {
    const isNext = deliveryTag === this.#last + 1;
    this.#last = deliveryTag;
    this.#unacked.add(deliveryTag);
    return isNext;
  }

  /** Call this after the nack is sent, not before: an unacked older delivery keeps a multiple ack from covering it. */
  requeued(deliveryTag: number): void {
    this.#unacked.delete(deliveryTag);
  }

  ack(deliveryTag: number): Promise<void> {
    this.#toAck.add(deliveryTag);
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<void> {
    await this.#asked.catch(() => {});
    // Later acks need an answer of their own.
    this.#next = undefined;
    this.#send();
    // A passive declare changes nothing: we want only the answer, which comes after the acks have arrived.
    const asked = this.#channel.exchangeDeclare({ exchange: 'amq.fanout', passive: true });
    this.#asked = asked;
    await asked;
  }

  #send(): void {
    let upTo: number | undefined;
    for (const tag of this.#unacked) {
      if (!this.#toAck.delete(tag)) break;
      this.#unacked.delete(tag);
      upTo = tag;
    }
    if (upTo !== undefined) this.#channel.basicAck({ deliveryTag: upTo, multiple: true });
    for (const deliveryTag of this.#toAck) {
      this.#unacked.delete(deliveryTag);
      this.#channel.basicAck({ deliveryTag });
    }
    this.#toAck.clear();
  }
}
