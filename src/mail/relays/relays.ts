import { PismakError } from '../../engine/errors.ts';
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
}

interface Waiting extends RelayJob {
  resolve(outcome: SmtpOutcome & { relay: string }): void;
  /** Relays whose connection broke under this mail. */
  tried: Set<Relay>;
}

/** How long mails look for another relay after one broke under them, before they are put off. */
const mostBreaks = 5;

/**
 * All relays. Mails of the high lane go first; among relays that may take a mail, the one that has had least of its share
 * does. While every relay is down, mails wait here: that costs them no attempt.
 */
export class Relays {
  readonly #relays: readonly Relay[];
  readonly #clock: Clock;
  readonly #waiting: Record<'high' | 'normal', Waiting[]> = { high: [], normal: [] };
  readonly #ofClass = new Map<string, ReadonlySet<string>>();
  readonly #queues: DestinationQueues;
  #cancelTimer = () => {};
  readonly #stop = new AbortController();
  /** Called when all relays of a waiting mail are down, and when one is up again. */
  onDown: (reason: string | undefined) => void = () => {};
  #isDown = false;

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

  /** 0, or how much later a mail should come back: so many wait for its destination already that it would only be in the way. */
  postponeMs(className: string, to: string): number {
    let perSecond = 0;
    for (const relay of this.#relays)
      if (this.#mayCarry(relay, className)) perSecond += relay.limits.perSecond(to);
    return this.#queues.postponeMs(to, perSecond, this.#clock.now());
  }

  /** Resolves when a relay has answered, or with `unsent` if everything is closed before the mail was begun. */
  send(job: RelayJob): Promise<SmtpOutcome & { relay: string }> {
    return new Promise((resolve) => {
      const waiting: Waiting = { ...job, resolve, tried: new Set() };
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

  /** Starts what can start, and comes back when the next mail may. */
  #work(): void {
    this.#cancelTimer();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const lane of [this.#waiting.high, this.#waiting.normal]) {
      // A mail to a slow destination must not hold up those behind it, but the search has an end.
      for (let index = 0, looked = 0; index < lane.length && looked < 100; looked++) {
        const job = lane[index] as Waiting;
        const found = this.#find(job);
        if (found instanceof Relay) {
          lane.splice(index, 1);
          this.#queues.leaves(job.envelope.to);
          void this.#start(found, job);
        } else {
          index++;
          nextMs = Math.min(nextMs, found ?? Number.POSITIVE_INFINITY);
          if (found === undefined && this.#relays.every(({ isFull }) => isFull)) break;
        }
      }
    }
    this.#tell();
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#cancelTimer = this.#clock.after(Math.max(1, nextMs), () => this.#work());
  }

  /** A relay for the mail; else in how many ms to ask again; undefined: when another mail ends. */
  #find({ className, envelope, tried }: Waiting): Relay | number | undefined {
    let best: Relay | undefined;
    let nextMs: number | undefined;
    for (const relay of this.#relays) {
      if (!this.#mayCarry(relay, className)) continue;
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
    if (outcome.kind === 'unsent' && !this.isClosed) {
      job.tried.add(relay);
      // Nothing was accepted, so another connection may have it at once. A server that won't even talk is not the mail's fault.
      if (relay.isDown || job.tried.size < mostBreaks) {
        this.#waiting[job.lane].unshift(job);
        this.#queues.joins(job.envelope.to);
      } else job.resolve({ ...outcome, relay: relay.url });
    } else job.resolve({ ...outcome, relay: relay.url });
    relay.closeIdle();
    if (!this.isClosed) this.#work();
  }

  #tell(): void {
    const hasWork = this.#waiting.high.length + this.#waiting.normal.length > 0;
    const isDown = hasWork && this.#relays.every((relay) => relay.isDown);
    const isUp = this.#relays.some((relay) => relay.reason === undefined);
    if (isDown && !this.#isDown) this.onDown(this.#relays[0]?.reason ?? 'no relay answers');
    if (isUp && this.#isDown) this.onDown(undefined);
    if (isDown) this.#isDown = true;
    else if (isUp) this.#isDown = false;
  }
}

const stopped = { kind: 'unsent', answer: 'stopped', relay: '' } as const;
