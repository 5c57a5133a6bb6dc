import type { Channel } from 'rabbitmq-client';
import type { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { Lane } from '../broker.ts';
import type { Settlement } from '../delivery.ts';
import { chooseStart, type HandlerSlots } from '../handler-slots.ts';
import { addFailure } from '../history.ts';
import { WaitingList } from '../waiting-list.ts';
import { Acks } from './acks.ts';
import type { Charge } from './charges.ts';
import { closeChannel, unavailable } from './link.ts';
import { atOnce, giveBack, passOn } from './look.ts';
import type { RabbitMessage } from './message.ts';
import type { Shared } from './shared.ts';

/** A message that the server delivered to us. */
export interface InHand {
  message: RabbitMessage;
  headers: Readonly<Record<string, string>>;
  /** The server queue it came from. */
  from: string;
  deliveryTag: number;
  /** False while we check whether an earlier process started it. */
  isCounted: boolean;
}

/** A channel and the messages it delivered. When the channel is lost, the server gives them to others. */
export class Hand {
  readonly channel: Channel;
  readonly #acks: Acks;
  readonly #queue: string;
  readonly #shared: Shared;
  readonly #open = new Set<InHand>();
  /** Messages that are not started. */
  readonly #waiting: Record<Lane, WaitingList<InHand>> = {
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

  get size(): number {
    return this.channel.active ? this.#open.size : 0;
  }

  get waiting(): number {
    return this.#waiting.high.length + this.#waiting.normal.length;
  }

  add(one: InHand): void {
    this.#open.add(one);
    // A high message of a foreign producer came through the normal queue; from here on it goes first.
    this.#waiting[one.message.lane].push(one);
    // The client lost a message: closing the channel makes the server deliver it again.
    if (!this.#acks.received(one.deliveryTag)) void this.channel.close();
  }

  /** The next message to start, if its attempts are known and the channel is still open. */
  next(slots: HandlerSlots, turns: LeastBusyFirst): InHand | undefined {
    if (!this.channel.active) return undefined;
    for (const lane of ['high', 'normal'] as const) {
      const waiting = this.#waiting[lane];
      const chosen = chooseStart([slots], waiting.owners, turns);
      if (chosen) return waiting.firstOf(chosen.owner)?.isCounted ? waiting.take(chosen.owner) : undefined;
      // Strict: while a high message waits, no normal one takes a usual slot.
      if (waiting.length > 0 && slots.free > 0) return undefined;
    }
    return undefined;
  }

  takeWaiting(): InHand[] {
    const { high, normal } = this.#waiting;
    return [...high.takeLast(high.length), ...normal.takeLast(normal.length)];
  }

  async settle(one: InHand, charge: Charge, settlement: Settlement): Promise<void> {
    const { charges, clock } = this.#shared;
    charges.end(charge);
    this.#check();
    if (settlement.kind === 'ack') return this.remove(one);
    if (settlement.kind === 'release') {
      await charges.revoke(charge);
      return this.giveBack([one]);
    }
    const { attempts, history } = one.message;
    const failed = addFailure(history, clock.now(), attempts, settlement.reason);
    try {
      await this.#sendOn({ ...one.message, history: [...failed] }, settlement);
    } catch (error) {
      await this.giveBack([one]).catch(() => {});
      throw error;
    }
    await this.remove(one);
  }

  async remove(one: InHand): Promise<void> {
    this.#check();
    try {
      this.#acked.set(one.from, (this.#acked.get(one.from) ?? 0) + 1);
      await this.#acks.ack(one.deliveryTag);
    } catch (error) {
      throw unavailable(error);
    }
    this.#open.delete(one);
  }

  /** Puts messages back at the front of their queues. */
  async giveBack(messages: readonly InHand[]): Promise<void> {
    for (const [from, group] of Map.groupBy(messages, (one) => one.from)) {
      await giveBack(this.channel, from, group, this.#shared.clock);
    }
    for (const one of messages) {
      this.#acks.gaveBack(one.deliveryTag);
      this.#open.delete(one);
    }
  }

  /** Closes after the queues have all acks: the server's channel holds some back and would drop them. */
  async close(): Promise<void> {
    try {
      for (const [from, count] of this.#acked) {
        // The first round sends the acks held back, the second waits for them.
        for (let round = 0; round < 2 && count > atOnce; round++) await passOn(this.channel, from);
      }
    } catch {
      // The channel is lost already.
    }
    await closeChannel(this.channel, this.#shared.clock);
  }

  #sendOn(
    message: RabbitMessage,
    settlement: Exclude<Settlement, { kind: 'ack' | 'release' }>,
  ): Promise<void> {
    if (settlement.kind === 'dead-letter') return this.#shared.toDead(this.#queue, message);
    if (settlement.delayMs <= 0) return this.#shared.toLane(this.#queue, message);
    return this.#shared.toDelay(this.#queue, message, settlement.delayMs);
  }

  #check(): void {
    if (!this.channel.active)
      throw unavailable(new Error('the connection was lost; the message will be delivered again'));
  }
}
