import type { Clock } from '../../time/clock.ts';
import { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { ConsumeOptions, DeliveryHandler, QueueStatus } from '../broker.ts';
import type { DelayTimer } from '../delay-timer.ts';
import { maxDelayMs, SettledOnce, type Settlement } from '../delivery.ts';
import { chooseStart, HandlerSlots } from '../handler-slots.ts';
import { addFailure } from '../history.ts';
import { fromRow, laneNumber, lanes, type Message } from '../message-row.ts';
import type { BrokerThread } from './broker-thread.ts';
import type { LazyWrite } from './group-commit.ts';
import { type ReadAhead, ReadyLane } from './lane.ts';
import type { PersistentWrites } from './persistent-writes.ts';
import type { Counts, QueueRow } from './queue-commands.ts';

const aheadBytes = 16 * 1024 * 1024;
const readAgainMs = 1000;

/** Shared by all queues of a broker. */
export interface Shared {
  thread: BrokerThread;
  writes: PersistentWrites;
  timer: DelayTimer;
  clock: Clock;
}

/**
 * One queue in memory: its counters, claims and consumers. A message is on disk until it is settled. Its states:
 *
 * - *ready*: on disk, and perhaps read ahead into memory (`lane.ts`);
 * - *claimed*: a handler runs, or has settled it and the settlement is not on disk yet. Only this object knows that: on disk
 *   the message is still ready, so after a crash it is simply delivered again;
 * - *delayed*, after a retry with a delay, until the timer promotes it to ready;
 * - *dead*, until it is redriven or discarded;
 * - gone, when an ack or a purge has deleted it. A release or a retry without delay makes it ready again, in its place.
 */
export class SqliteQueue {
  readonly number: number;
  readonly name: string;
  paused: boolean;
  maxLength: number | null;
  delayed: number;
  dead: number;
  /** Publishes not yet on disk. */
  unconfirmed = 0;
  readonly ready = { high: new ReadyLane(), normal: new ReadyLane() };
  readonly #claims = new Map<number, Message>();
  readonly #shared: Shared;
  readonly #turns = new LeastBusyFirst();
  #consumers: HandlerSlots[] = [];
  /** While above zero, the queue starts and reads nothing. */
  #holds = 0;

  constructor(shared: Shared, row: QueueRow, counts: Counts) {
    this.#shared = shared;
    this.number = row.number;
    this.name = row.name;
    this.paused = row.paused;
    this.maxLength = row.maxLength;
    this.delayed = counts.delayed;
    this.dead = counts.dead;
    for (const lane of lanes) this.ready[lane].count = counts[lane];
  }

  get isFull(): boolean {
    const waiting = this.ready.high.count + this.ready.normal.count + this.delayed + this.unconfirmed;
    return this.maxLength !== null && waiting >= this.maxLength;
  }

  /** The claimed messages in the form the broker thread takes. */
  get claimed(): string {
    return JSON.stringify([...this.#claims.keys()]);
  }

  published(message: Message): void {
    this.ready[message.lane].published(message, this.#readAheadLimit());
    this.#dispatch();
  }

  returned(lane: number, first: number, count: number): void {
    this.ready[lanes[lane] ?? 'normal'].returned(first, count);
    this.#dispatch();
  }

  consume(options: ConsumeOptions, handler: DeliveryHandler): HandlerSlots {
    // Reading ahead takes nothing from other consumers, so it is generous: twice a batch of publishes.
    const { prefetch = Math.max(500, 8 * options.concurrency) } = options;
    const consumer = new HandlerSlots({ ...options, prefetch }, handler, {
      clock: this.#shared.clock,
      turns: this.#turns,
      dispatch: () => this.#dispatch(),
      leave: (leaving) => {
        this.#consumers = this.#consumers.filter((other) => other !== leaving);
        if (this.#consumers.length === 0) this.#clearAhead();
      },
    });
    this.#consumers.push(consumer);
    this.#dispatch();
    return consumer;
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    this.#dispatch();
  }

  /** Starts nothing until the returned function is called, so that waiting messages can be changed on disk. */
  hold(): () => void {
    this.#holds++;
    this.#clearAhead();
    return () => {
      this.#holds--;
      this.#dispatch();
    };
  }

  purged(counts: Omit<Counts, 'dead'>): void {
    this.delayed -= counts.delayed;
    for (const lane of lanes) this.ready[lane].count -= counts[lane];
    // A publish under way may have added a message meanwhile.
    this.#clearAhead();
  }

  async closeConsumers(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.close()));
  }

  async status(): Promise<QueueStatus> {
    const oldest = await Promise.all(lanes.map((lane) => this.#oldest(lane)));
    return {
      name: this.name,
      ready: { high: this.ready.high.count, normal: this.ready.normal.count },
      delayed: this.delayed,
      inFlight: this.#claims.size,
      dead: this.dead,
      oldestAt: oldest.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null),
      paused: this.paused,
      maxLength: this.maxLength,
    };
  }

  async #oldest(lane: 'high' | 'normal'): Promise<number | null> {
    const { first, count } = this.ready[lane];
    if (first || count === 0) return first?.publishedAt ?? null;
    return this.#shared.thread.ask('oldest', this.number, laneNumber[lane], this.claimed);
  }

  #dispatch(): void {
    // Check each time: a handler that just started may have closed its consumer, paused or purged.
    while (!this.paused && this.#holds === 0) {
      const chosen = this.#choose();
      const message = chosen?.lane.take(chosen.owner);
      if (!chosen || !message) break;
      this.#start(chosen.slots, message);
    }
    if (this.#holds > 0 || this.#consumers.length === 0) return;
    for (const lane of lanes) this.#readAhead(lane);
  }

  #choose() {
    const { high, normal } = this.ready;
    const first = high.count > 0 && chooseStart(this.#consumers, high.owners, this.#turns);
    if (first) return { ...first, lane: high };
    // Strict: while a high message is ready, even an unread one, no normal one takes a usual slot.
    if (high.count > 0 && this.#consumers.some((consumer) => consumer.free > 0)) return undefined;
    const next = chooseStart(this.#consumers, normal.owners, this.#turns);
    return next && { ...next, lane: normal };
  }

  #start(consumer: HandlerSlots, message: Message): void {
    message.attempts++;
    this.#claims.set(message.seq, message);
    const charge = this.#shared.thread.runLazily('charge', [message.seq, message.attempts]);
    const delivery = new SettledOnce(this.name, message, (settlement) =>
      this.#settle(message, settlement, charge),
    );
    void consumer.start(delivery).then(() => this.#dispatch());
  }

  /** The claim ends when the settlement is on disk. The settlement includes the attempts, so the charge can be dropped. */
  #settle(message: Message, settlement: Settlement, charge: LazyWrite): Promise<void> {
    const { writes, clock, timer } = this.#shared;
    const { seq } = message;
    const chargeDropped = charge.drop();
    const backInPlace = () => {
      this.#claims.delete(seq);
      this.returned(laneNumber[message.lane], seq, 1);
    };
    if (settlement.kind === 'ack') return writes.run('ack', [seq], () => this.#claims.delete(seq));
    if (settlement.kind === 'release') {
      message.attempts--;
      if (!chargeDropped) return writes.run('charge', [seq, message.attempts], backInPlace);
      backInPlace();
      return Promise.resolve();
    }
    const now = clock.now();
    const history = JSON.stringify(addFailure(message.history, now, message.attempts, settlement.reason));
    if (settlement.kind === 'dead-letter') {
      return writes.run('deadLetter', [seq, message.attempts, history], () => {
        this.#claims.delete(seq);
        this.dead++;
      });
    }
    const readyAt = settlement.delayMs > 0 ? now + Math.ceil(Math.min(settlement.delayMs, maxDelayMs)) : null;
    return writes.run('retry', [seq, readyAt, message.attempts, history], () => {
      if (readyAt === null) return backInPlace();
      this.#claims.delete(seq);
      this.delayed++;
      timer.expect(readyAt);
    });
  }

  #readAhead(lane: 'high' | 'normal'): void {
    const ready = this.ready[lane];
    const wanted = ready.wanted(this.#readAheadLimit());
    if (!wanted) return;
    const { thread, clock } = this.#shared;
    thread.run(
      'read',
      [this.number, laneNumber[lane], wanted.after, wanted.limit, wanted.bytes],
      (rows) => {
        ready.received(rows.map(fromRow), (seq) => this.#claims.has(seq));
        this.#dispatch();
      },
      () => {
        ready.notReceived();
        clock.after(readAgainMs, () => this.#dispatch());
      },
    );
  }

  #readAheadLimit(): ReadAhead {
    const prefetch = this.#consumers.reduce((sum, consumer) => sum + consumer.prefetch, 0);
    return { messages: prefetch, bytes: aheadBytes };
  }

  #clearAhead(): void {
    for (const lane of lanes) this.ready[lane].clear();
  }
}
