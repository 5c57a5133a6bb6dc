import type { Clock } from '../../time/clock.ts';
import { LeastBusyFirst } from '../../turns/least-busy-first.ts';
import type { ConsumeOptions, DeliveryHandler } from '../broker.ts';
import type { DelayTimer } from '../delay-timer.ts';
import { maxDelayMs, SettledOnce, type Settlement } from '../delivery.ts';
import { chooseStart, HandlerSlots } from '../handler-slots.ts';
import { addFailure } from '../history.ts';
import { WaitingList } from '../waiting-list.ts';
import { AdaptivePrefetch } from './adaptive-prefetch.ts';
import type { Claimed, Claims } from './claims.ts';

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
  /** Owners whose messages are passed over. */
  except?: readonly string[];
}

/** How long to wait before searching again for messages of owners that may have an extra slot. */
const searchMs = 1000;

/** A queue as this process consumes it: its consumers, and the messages fetched ahead. */
export class PostgresQueue {
  readonly name: string;
  /** All messages that are ours as far as we know: fetched, running, or settled but not written yet. */
  readonly claims = new Map<number, Claimed>();
  readonly #shared: Shared;
  readonly #prefetch = new AdaptivePrefetch();
  #slots: HandlerSlots[] = [];
  readonly #turns = new LeastBusyFirst();
  /** Fetched and not started, in the order of delivery. */
  readonly #ahead = { high: new WaitingList<Claimed>(), normal: new WaitingList<Claimed>() };
  /** Whether the table may have messages for us, and whether some of them may be high ones. */
  #more = true;
  #high = true;
  /** Whether an answer that may bring high messages is outstanding. */
  #asked = false;
  /** While above zero, nothing is started. */
  #holds = 0;
  /** Whether the outstanding answer is for extra slots, and when to ask for them again. */
  #searching = false;
  #nextSearch = 0;

  constructor(name: string, shared: Shared) {
    this.name = name;
    this.#shared = shared;
  }

  consume(options: ConsumeOptions, handler: DeliveryHandler) {
    const { prefetch = Math.max(1000, 4 * options.concurrency) } = options;
    const slots = new HandlerSlots({ ...options, prefetch }, handler, {
      clock: this.#shared.clock,
      turns: this.#turns,
      dispatch: () => {
        this.dispatch();
        this.#shared.claims.kick();
      },
      leave: (leaving) => {
        this.#slots = this.#slots.filter((other) => other !== leaving);
        this.#release(this.#waiting - this.#mostAhead());
        this.dispatch();
      },
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
    this.#release(this.#waiting);
    this.wake(true);
  }

  /** Starts nothing and fetches nothing ahead until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    this.#release(this.#waiting);
    return () => {
      this.#holds--;
      this.wake(true);
      this.dispatch();
    };
  }

  /** To be called now and then: a handler that takes longer than expected must not keep fetched messages from others. */
  review(): void {
    const now = this.#shared.clock.now();
    for (const { startedAt } of this.claims.values())
      if (startedAt > 0) this.#prefetch.stillRunning(now - startedAt);
    this.#release(this.#waiting - this.#mostAhead());
    this.wake(true);
  }

  /** What to claim now, if anything. The answer comes to `received`. */
  ask(): Wanted | undefined {
    if (this.#holds > 0 || this.#slots.length === 0 || !this.#more) return undefined;
    const free = this.#mostAhead() - this.#waiting;
    // High messages overtake normal ones fetched ahead, which may then fill the memory for them.
    const onlyHigh = free <= 0;
    if (onlyHigh && !(this.#high && this.#ahead.normal.length > 0)) return this.#searchForOthers();
    // Half of what may be fetched ahead: while it is being fetched, the other half is handled.
    const half = Math.max(this.#free, Math.ceil(this.#allowed / 2));
    // Not one by one as handlers finish: a claim costs the server more than everything else about a message.
    if (free < half && !this.#high) return this.#searchForOthers();
    this.#more = onlyHigh;
    this.#asked = this.#high;
    this.#high = false;
    const most = onlyHigh ? this.#concurrency : Math.min(free, half);
    return { queue: this, most, onlyHigh };
  }

  /** One message for an extra slot, of an owner that may have it, wherever it stands in the queue. */
  #searchForOthers(): Wanted | undefined {
    if (this.#free > 0 || this.#shared.clock.now() < this.#nextSearch) return undefined;
    const refused = this.#slots.map((slots) => slots.refused).find((owners) => owners !== undefined);
    const here = [...this.#ahead.high.owners.keys(), ...this.#ahead.normal.owners.keys()];
    if (!refused || here.some((owner) => !refused.has(owner))) return undefined;
    this.#searching = true;
    return { queue: this, most: 1, onlyHigh: false, except: [...refused] };
  }

  #searched(found: number): void {
    this.#searching = false;
    if (found > 0) return;
    this.#nextSearch = this.#shared.clock.now() + searchMs;
    this.#shared.clock.after(searchMs, () => this.#shared.claims.kick());
  }

  /** The answer to `ask`; undefined if there was none. Nothing is started before `dispatch`. */
  received(messages: Claimed[] | undefined, most: number, tookMs = 0): void {
    this.#asked = false;
    const searched = this.#searching;
    if (searched) this.#searched(messages?.length ?? 0);
    if (messages) this.#prefetch.claimed(tookMs);
    for (const message of messages ?? []) {
      this.claims.set(message.seq, message);
      this.#prefetch.fetched(message.body.length);
    }
    if (!messages || messages.length === most) {
      this.#more = true;
      this.#high ||= !messages || messages.at(-1)?.lane === 'high';
    }
    for (const lane of ['high', 'normal'] as const) {
      const come = messages?.filter((message) => message.lane === lane) ?? [];
      if (come.length === 0) continue;
      const all = [...this.#ahead[lane].messages, ...come].sort((a, b) => a.seq - b.seq);
      this.#ahead[lane].replace(all);
    }
    if (this.#holds > 0) this.#release(this.#waiting);
    else if (!searched) this.#release(this.#waiting - this.#mostAhead());
  }

  forgetClaims(): void {
    this.claims.clear();
    for (const list of Object.values(this.#ahead)) list.replace([]);
    this.wake(true);
  }

  get #waiting(): number {
    return this.#ahead.high.length + this.#ahead.normal.length;
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
    return Math.min(most, this.#prefetch.ahead(this.#concurrency));
  }

  /** How many messages may be here whose handler has not started. */
  #mostAhead(): number {
    return this.#free + this.#allowed;
  }

  /** Releases the last `count` of the messages fetched ahead, without charging an attempt. */
  #release(count: number): void {
    if (count <= 0) return;
    const { high, normal } = this.#ahead;
    const last = normal.takeLast(count);
    for (const message of [...last, ...high.takeLast(count - last.length)]) {
      void this.#shared.claims.change(message, { kind: 'ready', history: null }).then(
        () => {
          this.#forget(message);
          this.wake(false);
        },
        () => {},
      );
    }
  }

  /** A released message may already be here again, under another claim. */
  #forget(message: Claimed): void {
    if (this.claims.get(message.seq) === message) this.claims.delete(message.seq);
  }

  /** Starts what can be started. */
  dispatch(): void {
    while (this.#holds === 0) {
      const chosen = this.#choose();
      const message = chosen && this.#ahead[chosen.lane].take(chosen.owner);
      if (!message) break;
      this.#start(chosen.slots, message);
    }
  }

  #choose() {
    const { high, normal } = this.#ahead;
    const first = chooseStart(this.#slots, high.owners, this.#turns);
    if (first) return { ...first, lane: 'high' as const };
    // Strict: as long as a high message may be ready, no normal one is started, except in an extra slot.
    const mayBeHigh = high.length > 0 || this.#high || this.#asked;
    if (mayBeHigh && this.#free > 0) return undefined;
    const next = chooseStart(this.#slots, normal.owners, this.#turns);
    return next && { ...next, lane: 'normal' as const };
  }

  #start(slots: HandlerSlots, message: Claimed): void {
    const { claims, clock } = this.#shared;
    message.attempts++;
    message.startedAt = clock.now();
    claims.change(message, { kind: 'charge' }).catch(() => {});
    const delivery = new SettledOnce(this.name, message, (settlement) => this.#settle(message, settlement));
    void slots.start(delivery).then(() => {
      this.#prefetch.finished(clock.now() - message.startedAt);
      this.dispatch();
      if (this.#more) claims.kick();
    });
  }

  async #settle(message: Claimed, settlement: Settlement): Promise<void> {
    const { claims, clock, timer } = this.#shared;
    if (settlement.kind === 'ack') await claims.change(message, { kind: 'ack' });
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
