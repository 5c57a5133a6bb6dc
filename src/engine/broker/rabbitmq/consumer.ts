import type { Channel } from 'rabbitmq-client';
import { UnderWay } from '../../time/under-way.ts';
import { WakeUp } from '../../time/wake-up.ts';
import { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { ConsumeOptions, Consumer, DeliveryHandler, Lane } from '../broker.ts';
import { SettledOnce } from '../delivery.ts';
import { HandlerSlots } from '../handler-slots.ts';
import { ownerOf } from '../owner-header.ts';
import type { AdaptivePrefetch } from './adaptive-prefetch.ts';
import { type AmqpDelivery, Deliveries } from './deliveries.ts';
import { Inbox } from './inbox.ts';
import { fromIncoming, type Incoming } from './message.ts';
import { countReady } from './server-queues.ts';
import type { Shared } from './shared.ts';

const lanes: readonly Lane[] = ['high', 'normal'];
const foreverMs = 3_600_000;
const againMs = 500;
const firstPollMs = 10;
const lastPollMs = 250;
/** When only extra slots are free: how many messages to search for one that may start, and how often. */
const searchDepth = 100;
const firstSearchMs = 1000;
const lastSearchMs = 10_000;

/**
 * One call of `consume`, with a channel of its own and two lanes. It is always in one of these states:
 *
 * - *connecting*: it waits for a channel, and comes back here half a second after the channel closed;
 * - *stopped* (`#isOpen` is false): the queue is paused, broken or removed, and nothing starts until the registry says otherwise;
 * - *subscribed*: handlers are quick, so the server pushes messages ahead of them (basic.consume with a prefetch count);
 * - *getting*: handlers are slow, or their duration is not known yet, so messages are got one by one (basic.get), high lane
 *   first, and none waits here while another consumer is idle;
 * - *searching*: only extra slots are free, so the first messages are got, those of other owners start, the rest are requeued;
 * - *closing*: prefetched messages are requeued, running handlers finish and settle, then the channel closes.
 */
export class RabbitConsumer implements Consumer {
  readonly #queue: string;
  readonly #shared: Shared;
  readonly #prefetch: AdaptivePrefetch;
  readonly #options: ConsumeOptions;
  readonly #turns = new LeastBusyFirst();
  readonly #slots: HandlerSlots;
  readonly #wakeUp = new WakeUp();
  readonly #closing = new AbortController();
  readonly #settling = new UnderWay();
  readonly #leave: (consumer: RabbitConsumer) => void;
  readonly #looping: Promise<void>;
  readonly #inbox: Inbox;
  #deliveries: Deliveries | undefined;
  #lastSearch = { ready: 0, pauseMs: firstSearchMs, nextAt: 0 };
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
        this.#wakeUp.wake();
      },
      leave() {},
    });
    this.#leave = leave;
    this.#looping = this.#loop();
    this.#inbox = new Inbox(queue, shared, options.foreignLane);
  }

  get inFlight(): number {
    return this.#deliveries?.unacked ?? 0;
  }

  /** A message may have come, or the queue was paused, resumed or removed. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** Deletes the prefetched messages. */
  async purge(): Promise<number> {
    const deliveries = this.#deliveries;
    const all = deliveries?.takePrefetched() ?? [];
    await Promise.all(all.map((one) => deliveries?.ack(one)));
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
    await this.#deliveries?.close();
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
        const channel = await this.#shared.connection.channel(signal);
        this.#isSubscribed = false;
        const deliveries = new Deliveries(channel, this.#queue, this.#shared);
        this.#deliveries = deliveries;
        channel.on('close', () => this.#wakeUp.wake());
        while (!signal.aborted && channel.active) {
          if (!this.#isOpen) await this.#wait(foreverMs);
          else if (this.#prefetch.isQuick && !this.#slots.isStretched) await this.#subscribe(deliveries);
          else await this.#getOne(deliveries);
        }
        await deliveries.requeue(deliveries.takePrefetched());
      } catch {
        // The connection was lost: the server redelivers our messages, and we connect again.
      }
      if (!signal.aborted) await this.#wait(againMs);
    }
  }

  /** Lets the server push messages, as long as handlers are quick. */
  async #subscribe(deliveries: Deliveries): Promise<void> {
    const { channel } = deliveries;
    const { concurrency, prefetch = this.#prefetch.ahead(concurrency) } = this.#options;
    const ahead = { high: Math.max(prefetch, this.#prefetch.ahead(concurrency)), normal: prefetch };
    const tags: string[] = [];
    for (const lane of lanes) {
      await channel.basicQos({ prefetchCount: ahead[lane] });
      const from = this.#shared.laneQueue(this.#queue, lane);
      const { consumerTag } = await channel.basicConsume({ queue: from }, (incoming) => {
        this.#received(deliveries, incoming, lane);
      });
      tags.push(consumerTag);
    }
    this.#isSubscribed = true;
    while (this.#isOpen && channel.active && this.#prefetch.isQuick && !this.#slots.isStretched)
      await this.#wait(foreverMs);
    this.#isSubscribed = false;
    for (const tag of tags) await channel.basicCancel(tag);
    // The client hands over messages that came before the answer in the next turn of the event loop.
    await new Promise(setImmediate);
    await deliveries.requeue(deliveries.takePrefetched());
  }

  async #getOne(deliveries: Deliveries): Promise<void> {
    if (this.#slots.free <= deliveries.prefetched) {
      return this.#slots.refused === undefined ? this.#wait(foreverMs) : this.#search(deliveries);
    }
    for (const lane of lanes) {
      const incoming = await deliveries.channel.basicGet({
        queue: this.#shared.laneQueue(this.#queue, lane),
      });
      if (incoming) return this.#received(deliveries, incoming, lane);
    }
    await this.#waitForMessages(deliveries.channel);
  }

  /**
   * Searches for messages of owners that may have an extra slot. The server can't find them for us, so we get the first
   * ones, start those that may start and requeue the others. It counts these deliveries, so we search less and less often,
   * unless messages come.
   */
  async #search(deliveries: Deliveries): Promise<void> {
    const { channel } = deliveries;
    const { clock } = this.#shared;
    const running = this.#slots.free;
    const ready: number[] = [];
    for (const lane of lanes)
      ready.push(await countReady(channel, this.#shared.laneQueue(this.#queue, lane)));
    const [seen = 0, now] = [ready.reduce((a, b) => a + b), clock.now()];
    if (seen <= this.#lastSearch.ready && now < this.#lastSearch.nextAt) return this.#wait(lastPollMs);
    const reading: Promise<void>[] = [];
    for (const [index, lane] of lanes.entries()) {
      for (let left = Math.min(ready[index] ?? 0, searchDepth); left > 0 && this.#isOpen; left--) {
        const incoming = await channel.basicGet({ queue: this.#shared.laneQueue(this.#queue, lane) });
        if (!incoming) break;
        this.#received(deliveries, incoming, lane, reading);
      }
    }
    await Promise.all(reading);
    const others = deliveries.takePrefetched();
    await deliveries.requeue(others);
    const found = this.#slots.free < running;
    const pauseMs = found ? firstSearchMs : Math.min(2 * this.#lastSearch.pauseMs, lastSearchMs);
    this.#lastSearch = { ready: others.length, pauseMs, nextAt: clock.now() + pauseMs };
  }

  /** Waits for a message. Counting costs the server little; a basic.get from an empty queue costs it a write. */
  async #waitForMessages(channel: Channel): Promise<void> {
    for (let ms = firstPollMs; this.#isOpen && channel.active; ms = Math.min(2 * ms, lastPollMs)) {
      await this.#wait(ms);
      for (const lane of lanes) {
        if ((await countReady(channel, this.#shared.laneQueue(this.#queue, lane))) > 0) return;
      }
    }
  }

  /** With `reading`, attempts are read only for messages that may start now, and `reading` gets their promises. */
  #received(deliveries: Deliveries, incoming: Incoming, lane: Lane, reading?: Promise<void>[]): void {
    const now = this.#shared.clock.now();
    const message = fromIncoming(incoming, lane === 'high', now);
    const { deliveryTag, redelivered } = incoming;
    const { headers } = message;
    const from = this.#shared.laneQueue(this.#queue, lane);
    if (!redelivered) this.#shared.headTimestamps.received(from, message.publishedAt, now);
    const one = { message, headers, deliveryTag, from, hasAttempts: !redelivered };
    deliveries.delivered(one);
    if (redelivered && (!reading || this.#slots.mayStart(ownerOf(one)))) {
      const read = this.#readAttempts(deliveries, one);
      reading?.push(read);
    }
    this.#dispatch();
  }

  /** The message is redelivered: the previous consumer may have started it. */
  async #readAttempts(deliveries: Deliveries, one: AmqpDelivery): Promise<void> {
    try {
      const { publishId, publishedAt } = one.message;
      const charged = await this.#shared.charges.chargedTo(publishId, publishedAt);
      one.message.attempts = charged ?? one.message.attempts;
      one.message.mayHaveBegun = charged === undefined;
      one.hasAttempts = true;
      this.#dispatch();
    } catch {
      // Don't start a message with unknown attempts; a new channel delivers it again.
      await deliveries.channel.close();
    }
  }

  #dispatch(): void {
    const deliveries = this.#deliveries;
    while (deliveries && this.#isOpen) {
      const one = deliveries.next(this.#slots, this.#turns);
      if (!one) return;
      this.#start(deliveries, one);
    }
  }

  #start(deliveries: Deliveries, one: AmqpDelivery): void {
    const { charges, clock } = this.#shared;
    one.message.attempts++;
    const charge = charges.begin(one.message.publishId, one.message.attempts);
    const delivery = new SettledOnce(this.#queue, one.message, (settlement) =>
      this.#settling.add(deliveries.settle(one, charge, settlement)),
    );
    const began = clock.now();
    void this.#slots.start(delivery).then(() => {
      this.#prefetch.add(clock.now() - began);
      this.#dispatch();
      if (!this.#isSubscribed || !this.#prefetch.isQuick) this.#wakeUp.wake();
    });
  }

  #wait(ms: number): Promise<void> {
    return this.#wakeUp.wait(this.#shared.clock, ms, this.#closing.signal);
  }
}
