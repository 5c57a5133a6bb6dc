import { messageOf } from '../../engine/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { TokenBucket } from '../../engine/turns/token-bucket.ts';
import { type Envelope, SmtpConnection, type SmtpOptions } from '../smtp/connection.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { masked, parseServerUrl, type SmtpServer } from '../smtp/server-url.ts';
import type { SmtpTimeouts } from '../smtp/timeouts.ts';
import { DestinationLimits, type ProviderLimit } from './destination-limits.ts';
import { RelayConnections } from './relay-connections.ts';

export interface RelayOptions {
  /** What classes call it; host and port by default. */
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
/** Short: an order that waits for the only relay leaves soon after that is back. */
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
  /** Fewer while the server asks us to slow down. */
  #allowed: number;
  /** Without its password. */
  readonly url: string;
  /** How much of its weight it has been served: the relay with the least goes next. */
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

  /** Whether no mail can start before another ends, wherever it goes. */
  get isFull(): boolean {
    if (this.isDown) return false;
    const { idle, size, written } = this.#connections;
    // A relay that was down gets one mail to try.
    if (this.#reason !== undefined) return size > idle;
    if (size - idle < this.#allowed) return false;
    // All are in use. The next mail may follow on one whose mail is written, unless the server wants less of us.
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
   * Call it only when `waitMs` is 0. `onRoom`: the mail is written, and another may follow. Resolves to `unopened` if the
   * server did not even greet: that has nothing to do with the mail.
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
    // A kept connection that turns out to be closed says nothing about the server.
    else if (isFresh) this.#goesDown(outcome.answer);
  }

  #goesDown(reason: string): void {
    this.#reason = reason;
    this.#downUntil = this.#clock.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }
}
