import type { Channel } from 'rabbitmq-client';
import { Bell } from '../../time/bell.ts';
import { UnderWay } from '../../time/under-way.ts';
import { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { ConsumeOptions, Consumer, DeliveryHandler, Lane } from '../broker.ts';
import { SettledOnce } from '../delivery.ts';
import { HandlerSlots } from '../handler-slots.ts';
import { ownerOf } from '../owner-header.ts';
import type { AdaptivePrefetch } from './adaptive-prefetch.ts';
import { Hand, type InHand } from './in-hand.ts';
import { Inbox } from './inbox.ts';
import { fromIncoming, type Incoming } from './message.ts';
import { countReady } from './server-queues.ts';
import type { Shared } from './shared.ts';

const lanes: readonly Lane[] = ['high', 'normal'];
const foreverMs = 3_600_000;
const againMs = 500;
const firstPollMs = 10;
const lastPollMs = 250;
/** When only extra slots are left: how far to look for messages that may have one, and how often. */
const lookAt = 100;
const firstLookMs = 1000;
const lastLookMs = 10_000;

/**
 * One call of `consume`: its own channel, two lanes. The server sends quick messages ahead. Long ones, and those whose
 * duration we don't know yet, are fetched one by one, high lane first, so that none waits here while others are idle.
 */
export class RabbitConsumer implements Consumer {
  readonly #queue: string;
  readonly #shared: Shared;
  readonly #prefetch: AdaptivePrefetch;
  readonly #options: ConsumeOptions;
  readonly #turns = new LeastBusyFirst();
  readonly #slots: HandlerSlots;
  readonly #bell = new Bell();
  readonly #closing = new AbortController();
  readonly #settling = new UnderWay();
  readonly #leave: (consumer: RabbitConsumer) => void;
  readonly #looping: Promise<void>;
  readonly #inbox: Inbox;
  #hand: Hand | undefined;
  #lastLook = { ready: 0, pauseMs: firstLookMs, nextAt: 0 };
  #isSubscribed = false;
  #closed: Promise<void> | undefined;

  constructor(
    queue: string,
    shared: Shared,
    prefetch: AdaptivePrefetch,
    options: ConsumeOptions,
    handler: DeliveryHandler,
    leave: (consumer: RabbitConsumer) => void,
  ) {
    this.#queue = queue;
    this.#shared = shared;
    this.#prefetch = prefetch;
    this.#options = options;
    this.#slots = new HandlerSlots({ prefetch: 1, ...options }, handler, {
      clock: shared.clock,
      turns: this.#turns,
      dispatch: () => {
        this.#dispatch();
        this.#bell.ring();
      },
      leave() {},
    });
    this.#leave = leave;
    this.#looping = this.#loop();
    this.#inbox = new Inbox(queue, shared, options.foreignLane);
  }

  get inFlight(): number {
    return this.#hand?.size ?? 0;
  }

  /** A message may have come, or the queue was paused, resumed or removed. */
  wake(): void {
    this.#bell.ring();
  }

  /** Deletes the messages that are here and not started. */
  async purge(): Promise<number> {
    const hand = this.#hand;
    const all = hand?.takeWaiting() ?? [];
    await Promise.all(all.map((one) => hand?.remove(one)));
    return all.length;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#looping, this.#inbox.close()]);
    await this.#slots.close();
    await this.#settling.ended();
    await this.#hand?.close();
    this.#leave(this);
  }

  get #isOpen(): boolean {
    const known = this.#shared.registry.find(this.#queue);
    return !this.#closing.signal.aborted && known !== undefined && !known.paused && known.broken === null;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const channel = await this.#shared.link.channel(signal);
        this.#isSubscribed = false;
        const hand = new Hand(channel, this.#queue, this.#shared);
        this.#hand = hand;
        channel.on('close', () => this.#bell.ring());
        while (!signal.aborted && channel.active) {
          if (!this.#isOpen) await this.#wait(foreverMs);
          else if (this.#prefetch.isQuick && !this.#slots.isStretched) await this.#subscribe(hand);
          else await this.#fetchOne(hand);
        }
        await hand.giveBack(hand.takeWaiting());
      } catch {
        // The connection was lost: the server gives our messages to others, and we try again.
      }
      if (!signal.aborted) await this.#wait(againMs);
    }
  }

  /** Lets the server send messages ahead, as long as they are quick. */
  async #subscribe(hand: Hand): Promise<void> {
    const { channel } = hand;
    const { concurrency, prefetch = this.#prefetch.ahead(concurrency) } = this.#options;
    const ahead = { high: Math.max(prefetch, this.#prefetch.ahead(concurrency)), normal: prefetch };
    const tags: string[] = [];
    for (const lane of lanes) {
      await channel.basicQos({ prefetchCount: ahead[lane] });
      const from = this.#shared.laneQueue(this.#queue, lane);
      const { consumerTag } = await channel.basicConsume({ queue: from }, (incoming) => {
        this.#received(hand, incoming, lane);
      });
      tags.push(consumerTag);
    }
    this.#isSubscribed = true;
    while (this.#isOpen && channel.active && this.#prefetch.isQuick && !this.#slots.isStretched)
      await this.#wait(foreverMs);
    this.#isSubscribed = false;
    for (const tag of tags) await channel.basicCancel(tag);
    // The client delivers messages that came before the answer in the next turn.
    await new Promise(setImmediate);
    await hand.giveBack(hand.takeWaiting());
  }

  async #fetchOne(hand: Hand): Promise<void> {
    if (this.#slots.free <= hand.waiting) {
      return this.#slots.refused === undefined ? this.#wait(foreverMs) : this.#look(hand);
    }
    for (const lane of lanes) {
      const incoming = await hand.channel.basicGet({ queue: this.#shared.laneQueue(this.#queue, lane) });
      if (incoming) return this.#received(hand, incoming, lane);
    }
    await this.#idle(hand.channel);
  }

  /**
   * Looks for messages of owners that may have an extra slot. The server can't find them for us, so we take the first
   * ones, start what may start and give the others back. It counts that, so we look less and less often, unless messages
   * come.
   */
  async #look(hand: Hand): Promise<void> {
    const { channel } = hand;
    const { clock } = this.#shared;
    const running = this.#slots.free;
    const ready: number[] = [];
    for (const lane of lanes)
      ready.push(await countReady(channel, this.#shared.laneQueue(this.#queue, lane)));
    const [seen = 0, now] = [ready.reduce((a, b) => a + b), clock.now()];
    if (seen <= this.#lastLook.ready && now < this.#lastLook.nextAt) return this.#wait(lastPollMs);
    const counting: Promise<void>[] = [];
    for (const [index, lane] of lanes.entries()) {
      for (let left = Math.min(ready[index] ?? 0, lookAt); left > 0 && this.#isOpen; left--) {
        const incoming = await channel.basicGet({ queue: this.#shared.laneQueue(this.#queue, lane) });
        if (!incoming) break;
        this.#received(hand, incoming, lane, counting);
      }
    }
    await Promise.all(counting);
    const others = hand.takeWaiting();
    await hand.giveBack(others);
    const found = this.#slots.free < running;
    const pauseMs = found ? firstLookMs : Math.min(2 * this.#lastLook.pauseMs, lastLookMs);
    this.#lastLook = { ready: others.length, pauseMs, nextAt: clock.now() + pauseMs };
  }

  /** Waits for a message. Counting costs the server little; fetching from an empty queue costs a write. */
  async #idle(channel: Channel): Promise<void> {
    for (let ms = firstPollMs; this.#isOpen && channel.active; ms = Math.min(2 * ms, lastPollMs)) {
      await this.#wait(ms);
      for (const lane of lanes) {
        if ((await countReady(channel, this.#shared.laneQueue(this.#queue, lane))) > 0) return;
      }
    }
  }

  /** With `counting`, only messages that may start now are counted, and their counts are added to it. */
  #received(hand: Hand, incoming: Incoming, lane: Lane, counting?: Promise<void>[]): void {
    const now = this.#shared.clock.now();
    const message = fromIncoming(incoming, lane === 'high', now);
    const { deliveryTag, redelivered } = incoming;
    const { headers } = message;
    const from = this.#shared.laneQueue(this.#queue, lane);
    if (!redelivered) this.#shared.heads.received(from, message.publishedAt, now);
    const one = { message, headers, deliveryTag, from, isCounted: !redelivered };
    hand.add(one);
    if (redelivered && (!counting || this.#slots.mayStart(ownerOf(one)))) {
      const counted = this.#count(hand, one);
      counting?.push(counted);
    }
    this.#dispatch();
  }

  /** The message is redelivered: the previous consumer may have started it. */
  async #count(hand: Hand, one: InHand): Promise<void> {
    try {
      const { life, publishedAt } = one.message;
      const charged = await this.#shared.charges.look(life, publishedAt);
      one.message.attempts = charged ?? one.message.attempts;
      one.message.mayHaveBegun = charged === undefined;
      one.isCounted = true;
      this.#dispatch();
    } catch {
      // Don't start a message without its count; a new channel delivers it again.
      await hand.channel.close();
    }
  }

  #dispatch(): void {
    const hand = this.#hand;
    while (hand && this.#isOpen) {
      const one = hand.next(this.#slots, this.#turns);
      if (!one) return;
      this.#start(hand, one);
    }
  }

  #start(hand: Hand, one: InHand): void {
    const { charges, clock } = this.#shared;
    one.message.attempts++;
    const charge = charges.begin(one.message.life, one.message.attempts);
    const delivery = new SettledOnce(this.#queue, one.message, (settlement) =>
      this.#settling.add(hand.settle(one, charge, settlement)),
    );
    const began = clock.now();
    void this.#slots.start(delivery).then(() => {
      this.#prefetch.add(clock.now() - began);
      this.#dispatch();
      if (!this.#isSubscribed || !this.#prefetch.isQuick) this.#bell.ring();
    });
  }

  #wait(ms: number): Promise<void> {
    return this.#bell.wait(this.#shared.clock, ms, this.#closing.signal);
  }
}
