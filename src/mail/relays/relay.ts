import { messageOf } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { TokenBucket } from '../../engine/turns/token-bucket.ts';
import { type Envelope, SmtpConnection, type SmtpOptions } from '../smtp/connection.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { masked, parseServerUrl, type SmtpServer } from '../smtp/server-url.ts';
import type { SmtpTimeouts } from '../smtp/timeouts.ts';
import { DestinationLimits, type ProviderLimit } from './destination-limits.ts';
import { RelayConnections } from './relay-connections.ts';

export interface RelayOptions {
  /** The name that classes use; host and port by default. */
  name?: string | undefined;
  url: string;
  weight: number;
  connections: number;
  perSecond: number;
  perSecondAndDomain: number;
  classes: readonly string[];
}

export interface RelayState {
  name: string;
  url: string;
  state: 'up' | 'down' | 'unused';
  connections: number;
  busy: number;
  sent: number;
  deferred: number;
  failed: number;
  unknown: number;
  reason?: string | undefined;
}

const firstPauseMs = 500;
/** Short, so that mails leave soon after the only relay is back. */
const longestPauseMs = 10_000;

/** One mail server, its connections and its limits. */
export class Relay {
  readonly options: RelayOptions;
  readonly #server: SmtpServer;
  readonly #clock: Clock;
  readonly #name: string | undefined;
  readonly #timeouts: Partial<SmtpTimeouts>;
  readonly #pace: TokenBucket | undefined;
  readonly limits: DestinationLimits;
  readonly #connections: RelayConnections;
  #downUntil = 0;
  #pauseMs = firstPauseMs;
  #reason: string | undefined;
  #used = false;
  /** Connections allowed now: fewer while the server asks us to slow down. */
  #allowed: number;
  /** The URL without its password. */
  readonly url: string;
  /** Mails served, divided by the weight: the relay with the least goes next. */
  served = 0;
  readonly counts = { sent: 0, deferred: 0, failed: 0, unknown: 0 };

  constructor(
    options: RelayOptions,
    parts: {
      clock: Clock;
      name?: string | undefined;
      timeouts?: Partial<SmtpTimeouts> | undefined;
      providers?: readonly ProviderLimit[] | undefined;
    },
  ) {
    this.options = options;
    this.#server = parseServerUrl(options.url);
    this.url = masked(options.url);
    this.#clock = parts.clock;
    this.#name = parts.name || undefined;
    this.#timeouts = parts.timeouts ?? {};
    this.#allowed = options.connections;
    this.#connections = new RelayConnections(this.#clock);
    this.#pace = options.perSecond > 0 ? new TokenBucket(options.perSecond) : undefined;
    this.limits = new DestinationLimits(options.perSecondAndDomain, parts.providers);
  }

  get name(): string {
    return this.options.name || `${this.#server.host}:${this.#server.port}`;
  }

  get state(): RelayState {
    return {
      name: this.name,
      url: this.url,
      state: this.isDown ? 'down' : this.#used ? 'up' : 'unused',
      connections: this.#connections.size,
      busy: this.#connections.size - this.#connections.idle,
      ...this.counts,
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  get isDown(): boolean {
    return this.#reason !== undefined && this.#clock.now() < this.#downUntil;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  carries(className: string): boolean {
    return this.options.classes.length === 0 || this.options.classes.includes(className);
  }

  /** Whether no mail to any destination can start before another ends. */
  get isFull(): boolean {
    if (this.isDown) return false;
    const { idle, size, written } = this.#connections;
    // A relay that was down gets one mail as a trial.
    if (this.#reason !== undefined) return size > idle;
    if (size - idle < this.#allowed) return false;
    // All are in use. The next mail may follow on a connection whose mail is written, unless the server asked us to slow down.
    return written === 0 || this.#allowed < this.options.connections;
  }

  /** 0 if a mail may start now, otherwise how long to wait; undefined: until a mail in progress ends. */
  waitMs(recipient: string): number | undefined {
    const now = this.#clock.now();
    if (this.isDown) return this.#downUntil - now;
    if (this.isFull) return undefined;
    const thereMs = this.limits.waitMs(recipient, now);
    return thereMs === undefined ? undefined : Math.max(this.#pace?.waitMs(now) ?? 0, thereMs);
  }

  /**
   * Call it only when `waitMs` is 0. `onRoom` is called when the mail is written and another may follow. Resolves to `unopened`
   * if the server sent no greeting, which has nothing to do with the mail.
   */
  async send(
    envelope: Envelope,
    message: Buffer,
    signal: AbortSignal,
    onRoom: () => void,
  ): Promise<SmtpOutcome | { kind: 'unopened' }> {
    const now = this.#clock.now();
    this.#pace?.take(now);
    this.limits.begin(envelope.to, now);
    this.#used = true;
    this.served += 1 / this.options.weight;
    const pool = this.#connections;
    const mayOpen = pool.size < this.#allowed || this.#reason !== undefined;
    let connection = pool.take(mayOpen);
    const isFresh = !connection;
    try {
      if (!connection) {
        try {
          connection = await pool.open(() => SmtpConnection.open(this.#options(), signal));
        } catch (error) {
          if (!signal.aborted) this.#goesDown(messageOf(error));
          return { kind: 'unopened' };
        }
      }
      const used = connection;
      const outcome = await used.send(envelope, message, () => {
        pool.isWritten(used);
        onRoom();
      });
      this.#judge(outcome, isFresh);
      return outcome;
    } finally {
      this.limits.end(envelope.to);
      if (connection) pool.isAnswered(connection);
    }
  }

  #options(): SmtpOptions {
    return {
      server: this.#server,
      clock: this.#clock,
      timeouts: this.#timeouts,
      ...(this.#name && { name: this.#name }),
    };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #judge(outcome: SmtpOutcome, isFresh: boolean): void {
    if (outcome.kind === 'early' || 'isUnasked' in outcome) return;
    if (outcome.kind !== 'unsent') this.counts[outcome.kind]++;
    if (outcome.kind === 'sent') {
      this.#reason = undefined;
      this.#pauseMs = firstPauseMs;
      if (this.#allowed < this.options.connections)
        this.#allowed = Math.min(this.options.connections, this.#allowed + 0.1);
    } else if (outcome.kind === 'deferred') {
      // "Not now" often means "not so many at once".
      this.#reason = undefined;
      this.#allowed = Math.max(1, this.#allowed * (outcome.code === 421 ? 0.5 : 0.95));
    } else if (outcome.kind === 'failed') this.#reason = undefined;
    // An idle connection that the server has closed says nothing about the server's health.
    else if (isFresh) this.#goesDown(outcome.answer);
  }

  #goesDown(reason: string): void {
    this.#reason = reason;
    this.#downUntil = this.#clock.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }
}
