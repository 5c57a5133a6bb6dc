import type { Clock } from '../../time/clock.ts';
import type { ConsumeOptions, DeliveryHandler } from '../broker.ts';
import type { DelayTimer } from '../delay-timer.ts';
import { maxDelayMs, SettledOnce, type Settlement } from '../delivery.ts';
import { HandlerSlots } from '../handler-slots.ts';
import { addFailure } from '../history.ts';
import { laneNumber } from '../message-row.ts';
import type { Claimed, Claims } from './claims.ts';
import { Pace } from './pace.ts';

/** What all queues of a broker share. */
export interface Shared {
  claims: Claims;
  timer: DelayTimer;
  clock: Clock;
}

/** How many messages to claim. */
export interface Wanted {
  queue: PostgresQueue;
  most: number;
  onlyHigh: boolean;
}

/** A queue as this process consumes it: its consumers, and the messages fetched ahead. */
export class PostgresQueue {
  readonly name: string;
  /** All messages that are ours as far as we know: fetched, running, or settled but not written yet. */
  readonly claims = new Map<number, Claimed>();
  readonly #shared: Shared;
  readonly #pace = new Pace();
  #slots: HandlerSlots[] = [];
  /** Fetched and not started, in the order of delivery. */
  #ahead: Claimed[] = [];
  /** Whether the table may have messages for us, and whether some of them may be high ones. */
  #more = true;
  #high = true;
  /** Whether an answer that may bring high messages is outstanding. */
  #asked = false;
  /** While above zero, nothing is started. */
  #holds = 0;

  constructor(name: string, shared: Shared) {
    this.name = name;
    this.#shared = shared;
  }

  consume(
    { concurrency, prefetch = Math.max(1000, 4 * concurrency) }: ConsumeOptions,
    handler: DeliveryHandler,
  ) {
    const slots = new HandlerSlots({ concurrency, prefetch }, handler, (leaving) => {
      this.#slots = this.#slots.filter((other) => other !== leaving);
      this.#giveBack(this.#ahead.length - this.#room());
      this.dispatch();
    });
    this.#slots.push(slots);
    this.wake(true);
    return slots;
  }

  async closeConsumers(): Promise<void> {
    await Promise.all(this.#slots.map((slots) => slots.close()));
  }

  /** There may be new messages. */
  wake(high: boolean): void {
    this.#more = true;
    this.#high ||= high;
    this.#shared.claims.kick();
  }

  /** Messages fetched ahead may be out of date. */
  refresh(): void {
    this.#giveBack(this.#ahead.length);
    this.wake(true);
  }

  /** Starts nothing and fetches nothing ahead until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    this.#giveBack(this.#ahead.length);
    return () => {
      this.#holds--;
      this.wake(true);
      this.dispatch();
    };
  }

  /** Called now and then: handlers that take longer than expected should not keep messages from others. */
  review(): void {
    const now = this.#shared.clock.now();
    for (const { startedAt } of this.claims.values())
      if (startedAt > 0) this.#pace.stillRunning(now - startedAt);
    this.#giveBack(this.#ahead.length - this.#room());
    this.wake(true);
  }

  /** What to claim now, if anything. The answer comes to `received`. */
  ask(): Wanted | undefined {
    if (this.#holds > 0 || this.#slots.length === 0 || !this.#more) return undefined;
    const room = this.#room() - this.#ahead.length;
    // High messages overtake normal ones fetched ahead, which may then have no room.
    const onlyHigh = room <= 0;
    if (onlyHigh && !(this.#high && this.#ahead.at(-1)?.lane === 'normal')) return undefined;
    // Half of what may be fetched ahead: while it is being fetched, the other half is handled.
    const half = Math.max(this.#free, Math.ceil(this.#allowed / 2));
    // Not one by one as handlers finish: a claim costs the server more than everything else about a message.
    if (room < half && !this.#high) return undefined;
    this.#more = onlyHigh;
    this.#asked = this.#high;
    this.#high = false;
    const most = onlyHigh ? this.#concurrency : Math.min(room, half);
    return { queue: this, most, onlyHigh };
  }

  /** The answer to `ask`; undefined if there was none. Nothing is started before `dispatch`. */
  received(messages: Claimed[] | undefined, most: number, tookMs = 0): void {
    this.#asked = false;
    if (messages) this.#pace.claimed(tookMs);
    for (const message of messages ?? []) {
      this.claims.set(message.seq, message);
      this.#pace.fetched(message.body.length);
    }
    if (!messages || messages.length === most) {
      this.#more = true;
      this.#high ||= !messages || messages.at(-1)?.lane === 'high';
    }
    if (messages) {
      this.#ahead = [...this.#ahead, ...messages].sort(
        (a, b) => laneNumber[a.lane] - laneNumber[b.lane] || a.seq - b.seq,
      );
    }
    if (this.#holds > 0) this.#giveBack(this.#ahead.length);
    else this.#giveBack(this.#ahead.length - this.#room());
  }

  forgetClaims(): void {
    this.claims.clear();
    this.#ahead = [];
    this.wake(true);
  }

  get #concurrency(): number {
    return this.#slots.reduce((sum, slots) => sum + slots.concurrency, 0);
  }

  get #free(): number {
    return this.#slots.reduce((sum, slots) => sum + Math.max(0, slots.free), 0);
  }

  /** How many may be fetched ahead. */
  get #allowed(): number {
    const most = this.#slots.reduce((sum, slots) => sum + Math.max(0, slots.prefetch - slots.concurrency), 0);
    return Math.min(most, this.#pace.ahead(this.#concurrency));
  }

  /** How many messages that are not started may be here. */
  #room(): number {
    return this.#free + this.#allowed;
  }

  /** Returns the last ones, without charging an attempt. */
  #giveBack(count: number): void {
    if (count <= 0) return;
    for (const message of this.#ahead.splice(-count)) {
      void this.#shared.claims.change(message, { kind: 'ready', history: null }).then(
        () => {
          this.#forget(message);
          this.wake(false);
        },
        () => {},
      );
    }
  }

  /** A returned message may already be here again, under another claim. */
  #forget(message: Claimed): void {
    if (this.claims.get(message.seq) === message) this.claims.delete(message.seq);
  }

  /** Starts what can be started. */
  dispatch(): void {
    while (this.#holds === 0 && this.#ahead.length > 0 && this.#slots.length > 0) {
      const slots = this.#slots.reduce((a, b) => (b.free > a.free ? b : a));
      if (slots.free <= 0) break;
      // Strict: as long as a high message may be ready, no normal one is started.
      if (this.#ahead[0]?.lane === 'normal' && (this.#high || this.#asked)) break;
      const message = this.#ahead.shift();
      if (message) this.#start(slots, message);
    }
  }

  #start(slots: HandlerSlots, message: Claimed): void {
    const { claims, clock } = this.#shared;
    message.attempts++;
    message.startedAt = clock.now();
    claims.change(message, { kind: 'started' }).catch(() => {});
    const delivery = new SettledOnce(this.name, message, (settlement) => this.#settle(message, settlement));
    void slots.start(delivery).then(() => {
      this.#pace.finished(clock.now() - message.startedAt);
      this.dispatch();
      if (this.#more) claims.kick();
    });
  }

  async #settle(message: Claimed, settlement: Settlement): Promise<void> {
    const { claims, clock, timer } = this.#shared;
    if (settlement.kind === 'ack') await claims.change(message, { kind: 'gone' });
    else if (settlement.kind === 'release') {
      message.attempts--;
      await claims.change(message, { kind: 'ready', history: null });
    } else {
      const history = JSON.stringify(
        addFailure(message.history, clock.now(), message.attempts, settlement.reason),
      );
      if (settlement.kind === 'dead-letter') await claims.change(message, { kind: 'dead', history });
      else if (settlement.delayMs > 0) {
        const delayMs = Math.ceil(Math.min(settlement.delayMs, maxDelayMs));
        await claims.change(message, { kind: 'delayed', history, delayMs });
        timer.expect(clock.now() + delayMs);
      } else await claims.change(message, { kind: 'ready', history });
    }
    this.#forget(message);
    if (settlement.kind === 'release' || settlement.kind === 'retry') this.wake(message.lane === 'high');
  }
}
