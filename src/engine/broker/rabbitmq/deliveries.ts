import type { Channel } from 'rabbitmq-client';
import type { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { Lane } from '../broker.ts';
import type { Settlement } from '../delivery.ts';
import { chooseStart, type HandlerSlots } from '../handler-slots.ts';
import { addFailure } from '../history.ts';
import { WaitingList } from '../waiting-list.ts';
import { Acks } from './acks.ts';
import type { Charge } from './charges.ts';
import { closeChannel, unavailable } from './connection.ts';
import { flushAcks, requeue, settledAtOnce } from './get-and-requeue.ts';
import type { RabbitMessage } from './message.ts';
import type { Shared } from './shared.ts';

/** A message that the server delivered to this channel, and that is not acked yet. */
export interface AmqpDelivery {
  message: RabbitMessage;
  headers: Readonly<Record<string, string>>;
  /** The server queue it came from. */
  from: string;
  deliveryTag: number;
  /** False while we check whether an earlier process started it. */
  hasAttempts: boolean;
}

/**
 * The channel of a consumer, and the messages delivered on it that are not acked. A message is
 *
 * - *prefetched* when it is delivered, and until its handler starts;
 * - *running* until its handler settles it;
 * - gone from here when it is acked (also after a copy went to another queue: a retry or a dead letter) or requeued.
 *
 * When the channel closes, for whatever reason, the server redelivers all that were not acked; settling them fails here.
 */
export class Deliveries {
  readonly channel: Channel;
  readonly #acks: Acks;
  readonly #queue: string;
  readonly #shared: Shared;
  readonly #unacked = new Set<AmqpDelivery>();
  /** Messages whose handler has not started. */
  readonly #prefetched: Record<Lane, WaitingList<AmqpDelivery>> = {
    high: new WaitingList(),
    normal: new WaitingList(),
  };
  readonly #acked = new Map<string, number>();

  constructor(channel: Channel, queue: string, shared: Shared) {
    this.channel = channel;
    this.#acks = new Acks(channel);
    this.#queue = queue;
    this.#shared = shared;
  }

  get unacked(): number {
    return this.channel.active ? this.#unacked.size : 0;
  }

  get prefetched(): number {
    return this.#prefetched.high.length + this.#prefetched.normal.length;
  }

  delivered(one: AmqpDelivery): void {
    this.#unacked.add(one);
    // A high message of a foreign producer came through the normal queue; from here on it goes first.
    this.#prefetched[one.message.lane].push(one);
    // The client lost a message: when the channel closes, the server delivers it again.
    if (!this.#acks.received(one.deliveryTag)) void this.channel.close();
  }

  /** The next message to start, if its attempts are known and the channel is still open. */
  next(slots: HandlerSlots, turns: LeastBusyFirst): AmqpDelivery | undefined {
    if (!this.channel.active) return undefined;
    for (const lane of ['high', 'normal'] as const) {
      const prefetched = this.#prefetched[lane];
      const chosen = chooseStart([slots], prefetched.owners, turns);
      if (chosen)
        return prefetched.firstOf(chosen.owner)?.hasAttempts ? prefetched.take(chosen.owner) : undefined;
      // Strict: while a high message is here, no normal one takes a usual slot.
      if (prefetched.length > 0 && slots.free > 0) return undefined;
    }
    return undefined;
  }

  takePrefetched(): AmqpDelivery[] {
    const { high, normal } = this.#prefetched;
    return [...high.takeLast(high.length), ...normal.takeLast(normal.length)];
  }

  async settle(one: AmqpDelivery, charge: Charge, settlement: Settlement): Promise<void> {
    const { charges, clock } = this.#shared;
    charges.end(charge);
    this.#check();
    if (settlement.kind === 'ack') return this.ack(one);
    if (settlement.kind === 'release') {
      await charges.revoke(charge);
      return this.requeue([one]);
    }
    const { attempts, history } = one.message;
    const failed = addFailure(history, clock.now(), attempts, settlement.reason);
    try {
      await this.#republish({ ...one.message, history: [...failed] }, settlement);
    } catch (error) {
      await this.requeue([one]).catch(() => {});
      throw error;
    }
    await this.ack(one);
  }

  async ack(one: AmqpDelivery): Promise<void> {
    this.#check();
    try {
      this.#acked.set(one.from, (this.#acked.get(one.from) ?? 0) + 1);
      await this.#acks.ack(one.deliveryTag);
    } catch (error) {
      throw unavailable(error);
    }
    this.#unacked.delete(one);
  }

  /** Puts messages back to the front of their queues. */
  async requeue(messages: readonly AmqpDelivery[]): Promise<void> {
    for (const [from, group] of Map.groupBy(messages, (one) => one.from)) {
      await requeue(this.channel, from, group, this.#shared.clock);
    }
    for (const one of messages) {
      this.#acks.requeued(one.deliveryTag);
      this.#unacked.delete(one);
    }
  }

  /** Closes the channel once the queues have all acks: the server's channel holds some back, and would drop them. */
  async close(): Promise<void> {
    try {
      for (const [from, count] of this.#acked) {
        // The first round sends the acks held back, the second waits for them.
        for (let round = 0; round < 2 && count > settledAtOnce; round++) await flushAcks(this.channel, from);
      }
    } catch {
      // The channel is lost already.
    }
    await closeChannel(this.channel, this.#shared.clock);
  }

  #republish(
    message: RabbitMessage,
    settlement: Exclude<Settlement, { kind: 'ack' | 'release' }>,
  ): Promise<void> {
    if (settlement.kind === 'dead-letter') return this.#shared.publishToDead(this.#queue, message);
    if (settlement.delayMs <= 0) return this.#shared.publishToLane(this.#queue, message);
    return this.#shared.publishToDelay(this.#queue, message, settlement.delayMs);
  }

  #check(): void {
    if (!this.channel.active)
      throw unavailable(new Error('the connection was lost; the message will be delivered again'));
  }
}
