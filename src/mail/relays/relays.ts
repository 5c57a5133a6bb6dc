import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Envelope } from '../smtp/connection.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import type { SmtpTimeouts } from '../smtp/timeouts.ts';
import type { ProviderLimit } from './destination-limits.ts';
import { DestinationQueues } from './destination-queues.ts';
import { Relay, type RelayOptions, type RelayState } from './relay.ts';

export interface RelayJob {
  className: string;
  lane: 'high' | 'normal';
  envelope: Envelope;
  message: Buffer;
  /** End of the mail's time to live. */
  notAfter?: number | undefined;
}

interface Waiting extends RelayJob {
  resolve(outcome: SmtpOutcome & { relay: string }): void;
  /** Relays whose connection broke under this mail. */
  tried: Set<Relay>;
  breaks: number;
  /** Relays that can't carry the mail. */
  refused: Set<Relay>;
  /** Returned unsent if no relay has taken it by then. */
  until: number;
}

/** Broken connections after which a mail is deferred: perhaps the mail breaks them. */
const mostBreaks = 5;
/** A mail that waits longer is returned, so that a cancellation or suppression is noticed. */
const longestWaitMs = 60_000;
/** Mails examined per class: a slow destination must not block those behind it, but the search must be bounded. */
const mostLooks = 100;

/**
 * All relays. Mails of the high lane go first. Of the relays that may take a mail, the one furthest below its share gets it.
 * While every relay is down, mails wait here without losing an attempt.
 */
export class Relays {
  readonly #relays: readonly Relay[];
  readonly #clock: Clock;
  readonly #waiting: Record<'high' | 'normal', Waiting[]> = { high: [], normal: [] };
  readonly #ofClass = new Map<string, ReadonlySet<string>>();
  readonly #queues: DestinationQueues;
  #cancelTimer = () => {};
  #timerAt = Number.POSITIVE_INFINITY;
  readonly #stop = new AbortController();
  /** Called when all relays of a waiting mail are down, and when one is up again. */
  onDown: (reason: string | undefined) => void = () => {};
  readonly #downClasses = new Set<string>();

  constructor(
    options: readonly RelayOptions[],
    parts: {
      clock: Clock;
      name?: string;
      timeouts?: Partial<SmtpTimeouts>;
      providers?: readonly ProviderLimit[];
      /** Classes that only some relays carry, by their names. */
      classes?: ReadonlyMap<string, { relays: readonly string[] }>;
    },
  ) {
    this.#clock = parts.clock;
    this.#relays = options.map((one) => new Relay(one, parts));
    this.#queues = new DestinationQueues(parts.providers ?? []);
    for (const { name, options } of this.#relays) {
      const unknown = options.classes.find((className) => parts.classes?.has(className) === false);
      if (unknown !== undefined)
        throw new PismakError(
          'configuration-invalid',
          `relay ${name} of mail.relays names class ${unknown}, but the classes are ${[...(parts.classes?.keys() ?? [])].join(', ')}`,
        );
    }
    for (const [className, { relays }] of parts.classes ?? []) {
      const unknown = relays.find((name) => !this.#relays.some((relay) => relay.name === name));
      if (unknown !== undefined && this.size > 0)
        throw new PismakError(
          'configuration-invalid',
          `mail.classes.${className}.relays names ${unknown}, but the relays are ${this.#relays.map(({ name }) => name).join(', ')}`,
        );
      if (relays.length > 0) this.#ofClass.set(className, new Set(relays));
    }
  }

  get size(): number {
    return this.#relays.length;
  }

  get connections(): number {
    return this.#relays.reduce((sum, { options }) => sum + options.connections, 0);
  }

  states(): RelayState[] {
    return this.#relays.map(({ state }) => state);
  }

  carries(className: string): boolean {
    return this.#relays.some((relay) => this.#mayCarry(relay, className));
  }

  #mayCarry(relay: Relay, className: string): boolean {
    return relay.carries(className) && (this.#ofClass.get(className)?.has(relay.name) ?? true);
  }

  /** 0, or how long to postpone a mail because too many wait for its destination already. */
  postponeMs(className: string, to: string): number {
    let perSecond = 0;
    for (const relay of this.#relays)
      if (this.#mayCarry(relay, className)) perSecond += relay.limits.perSecond(to);
    return this.#queues.postponeMs(to, perSecond, this.#clock.now());
  }

  /**
   * Resolves when a relay has answered. Resolves to `unsent` without a relay on shutdown, when the time to live ends, or if no
   * relay takes the mail within a minute.
   */
  send(job: RelayJob): Promise<SmtpOutcome & { relay: string }> {
    return new Promise((resolve) => {
      const { notAfter = Number.POSITIVE_INFINITY } = job;
      const until = Math.min(this.#clock.now() + longestWaitMs, notAfter);
      const waiting: Waiting = { ...job, resolve, tried: new Set(), refused: new Set(), breaks: 0, until };
      if (this.isClosed) return resolve(stopped);
      this.#waiting[job.lane].push(waiting);
      this.#queues.joins(job.envelope.to);
      this.#work();
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer();
    for (const lane of [this.#waiting.high, this.#waiting.normal])
      for (const { resolve } of lane.splice(0)) resolve(stopped);
    await Promise.all(this.#relays.map((relay) => relay.close()));
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Starts mails that can start, and sets a timer for the next. */
  #work(): void {
    let nextMs = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    for (const lane of [this.#waiting.high, this.#waiting.normal]) {
      const looks = lane.length > mostLooks ? new Map<string, number>() : undefined;
      for (let index = 0; index < lane.length; ) {
        const job = lane[index] as Waiting;
        const looked = looks?.get(job.className) ?? 0;
        looks?.set(job.className, looked + 1);
        const found = looked < mostLooks ? this.#find(job) : Number.POSITIVE_INFINITY;
        if (found instanceof Relay || job.until <= now) {
          lane.splice(index, 1);
          this.#queues.leaves(job.envelope.to);
          if (found instanceof Relay) void this.#start(found, job);
          else job.resolve({ ...stopped, answer: this.#whyNot(job) });
        } else {
          index++;
          nextMs = Math.min(nextMs, found ?? Number.POSITIVE_INFINITY, job.until - now);
          if (found === undefined && this.#relays.every(({ isFull }) => isFull)) break;
        }
      }
    }
    this.#tell();
    if (nextMs < Number.POSITIVE_INFINITY) this.#comeBack(now + Math.max(1, nextMs));
  }

  /** Keeps an earlier timer: waking too early is cheaper than a timer for each mail. */
  #comeBack(at: number): void {
    if (at >= this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = this.#clock.after(at - this.#clock.now(), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#work();
    });
  }

  /** A relay for the mail, or how many ms to wait; undefined: until another mail ends. */
  #find({ className, envelope, tried, refused }: Waiting): Relay | number | undefined {
    let best: Relay | undefined;
    let nextMs: number | undefined;
    for (const relay of this.#relays) {
      if (!this.#mayCarry(relay, className) || refused.has(relay)) continue;
      const waitMs = relay.waitMs(envelope.to);
      if (waitMs === 0) {
        const isBetter =
          !best || Number(tried.has(relay)) < Number(tried.has(best)) || relay.served < best.served;
        if (isBetter && !(best && tried.has(relay) && !tried.has(best))) best = relay;
      } else if (waitMs !== undefined) nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, waitMs);
    }
    return best ?? nextMs;
  }

  async #start(relay: Relay, job: Waiting): Promise<void> {
    const onRoom = () => {
      if (!this.isClosed) this.#work();
    };
    const outcome = await relay.send(job.envelope, job.message, this.#stop.signal, onRoom);
    if (outcome.kind === 'unopened') {
      if (this.isClosed) job.resolve(stopped);
      else this.#putBack(job, 'unshift');
    } else if ('isUnasked' in outcome && this.#hasAnother(relay, job)) this.#putBack(job, 'unshift');
    else if (outcome.kind !== 'unsent') job.resolve({ ...outcome, relay: relay.url });
    else if (this.isClosed) job.resolve(stopped);
    else {
      job.tried.add(relay);
      // Nothing was accepted, so another connection may try. It goes to the end, in case this mail breaks connections.
      if (++job.breaks < mostBreaks) this.#putBack(job, 'push');
      else job.resolve({ ...outcome, relay: relay.url });
    }
    if (!this.isClosed) this.#work();
  }

  /** Whether another relay may carry what this one can't. */
  #hasAnother(relay: Relay, { className, refused }: Waiting): boolean {
    refused.add(relay);
    return !this.isClosed && this.#carriersOf(className).some((other) => !refused.has(other));
  }

  #putBack(job: Waiting, where: 'push' | 'unshift'): void {
    this.#waiting[job.lane][where](job);
    this.#queues.joins(job.envelope.to);
  }

  #whyNot({ className, until, notAfter }: Waiting): string {
    if (until === notAfter) return 'its time to live was over before a relay took it';
    const reason = this.#carriersOf(className).find((relay) => relay.reason !== undefined)?.reason;
    return `no relay took it within ${longestWaitMs / 1000} s${reason === undefined ? '' : `: ${reason}`}`;
  }

  #carriersOf(className: string): Relay[] {
    return this.#relays.filter((relay) => this.#mayCarry(relay, className));
  }

  #tell(): void {
    const wasDown = this.#downClasses.size > 0;
    if (!wasDown && this.#relays.every((relay) => relay.reason === undefined)) return;
    let reason = 'no relay answers';
    const waiting = [...this.#waiting.high, ...this.#waiting.normal].map(({ className }) => className);
    for (const className of new Set([...waiting, ...this.#downClasses])) {
      const relays = this.#carriersOf(className);
      if (relays.some((relay) => relay.reason === undefined)) this.#downClasses.delete(className);
      else if (relays.every((relay) => relay.isDown)) {
        this.#downClasses.add(className);
        reason = relays[0]?.reason ?? reason;
      }
    }
    const isDown = this.#downClasses.size > 0;
    if (isDown !== wasDown) this.onDown(isDown ? reason : undefined);
  }
}

const stopped = { kind: 'unsent', answer: 'stopped', relay: '' } as const;
